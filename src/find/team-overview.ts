import type { Memory } from '../kernel/memory.ts'
import type { ContinuityPorts } from '../kernel/ports/runtime.ts'
import type { OverviewMachine, TeamOverview, TeamOverviewUseCases, OverviewPerson } from './use-cases.ts'

const MAX_SESSIONS = 5_000
const MAX_SHARED = 10_000

interface MachineActivity {
  sessions: number
  lastActiveAt?: string
}

export function createTeamOverview(ports: ContinuityPorts): TeamOverviewUseCases {
  const { store, machine, person, keys, sha256 } = ports

  /** Machines of the records, and of the sessions of a store that several machines use. */
  async function listAllMachines(): Promise<readonly OverviewMachine[]> {
    const publicKey = (await keys?.loadSigner())?.publicKey
    const here = { id: machine.id, name: machine.name, person, ...(publicKey !== undefined && { publicKey }) }
    const machines = new Map(
      [here, ...(await store.listMachines()).filter(({ id }) => id !== here.id)].map((one) => [one.id, one]),
    )
    const active = new Map<string, MachineActivity>()
    for (const session of await store.listSessions({ limit: MAX_SESSIONS })) {
      const at = session.origin?.machine ?? session.machine ?? machine
      if (!machines.has(at.id))
        machines.set(at.id, { id: at.id, name: at.name, person: findPerson(session.origin?.principal) })
      const known = active.get(at.id) ?? { sessions: 0 }
      known.sessions += 1
      if (known.lastActiveAt === undefined || known.lastActiveAt < session.lastEventAt)
        known.lastActiveAt = session.lastEventAt
      active.set(at.id, known)
    }
    return [...machines.values()].map(({ id, name, person: owner, publicKey: key }) => ({
      id,
      name,
      person: owner.id,
      isHere: id === machine.id,
      ...(key !== undefined && { keyFingerprint: sha256(key) }),
      ...(active.get(id) ?? { sessions: 0 }),
    }))
  }

  const findPerson = (id = person.id) => (id === person.id ? person : { id, name: `person ${id.slice(0, 8)}` })

  /** A folder of the memory's repository, on this machine if there is one. */
  async function findFolder({ projectId }: Memory): Promise<Pick<TeamOverview['shared'][number], 'folder' | 'isHere'>> {
    const projects = await store.listRepositoryProjects(projectId)
    const locations = (await Promise.all(projects.map((id) => store.listLocations({ projectId: id })))).flat()
    const isHere = ({ machineId }: { readonly machineId: string }) =>
      machineId === machine.id || machineId === machine.hostId
    const found = locations.find(isHere) ?? locations[0]
    if (found === undefined) return { isHere: false }
    // The location of a repository with one checkout is its git directory.
    return { folder: found.location.replace(/[\\/]\.git$/, ''), isHere: isHere(found) }
  }

  return {
    async readTeam() {
      const machines = await listAllMachines()
      const names = new Map((await store.listMachines()).map(({ person: owner }) => [owner.id, owner.name]))
      const stored = await store.listMemories({ scope: 'team', limit: MAX_SHARED })
      const shared = await Promise.all(
        stored
          .toSorted((one, other) => (one.createdAt > other.createdAt ? -1 : 1))
          .map(async (memory) => ({
            memory,
            author: memory.origin?.principal ?? person.id,
            machine: memory.origin?.machine.name ?? machine.name,
            ...(await findFolder(memory)),
          })),
      )
      const ids = new Set([person.id, ...machines.map(({ person: id }) => id), ...shared.map(({ author }) => author)])
      const people = [...ids].map(
        (id): OverviewPerson => ({
          id,
          name: id === person.id ? person.name : (names.get(id) ?? findPerson(id).name),
          isYou: id === person.id,
          sharedMemories: shared.filter(({ author }) => author === id).length,
        }),
      )
      return { people, machines, shared }
    },
  }
}
