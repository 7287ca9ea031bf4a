import type { Config } from '../kernel/config.ts'
import { HoldfastError, getErrorMessage } from '../kernel/errors.ts'
import type { ContinuityPorts } from '../kernel/ports/runtime.ts'
import type { SyncAudience } from '../kernel/ports/sync-transport.ts'
import { exchangeRecords } from './exchange.ts'
import { createLedger, type KnownMember, type SyncLedger, toEntry } from './ledger.ts'
import { ensureSpace, findSpace, type SpaceIdentity } from './members.ts'
import type { ReadContent } from './receive.ts'
import type { Replica } from './replica.ts'
import { describeRefusal, type Sealer, type SpaceKey } from './sealing.ts'
import type { SpaceTransport } from './space-transport.ts'
import { createSpaceList, type JoinedTeam, type SpaceRecord } from './spaces.ts'
import type {
  AddSpaceInput,
  RemoveSpaceInput,
  SpaceKind,
  SpaceMember,
  SpaceStatus,
  SyncSpace,
  SyncUseCases,
} from './use-cases.ts'

export interface SyncPorts
  extends Pick<ContinuityPorts, 'store' | 'clock' | 'entropy' | 'log' | 'sha256' | 'locator' | 'person' | 'redactors'> {
  readonly replica: Replica
  /** Makes this home one of that person's; absent where that is decided elsewhere. */
  readonly adoptPerson?: (id: string) => void
  readonly loadSealing: () => Promise<Sealer>
  readonly keyRing: {
    load(space: string): Promise<readonly SpaceKey[]>
    save(space: string, keys: readonly SpaceKey[]): Promise<void>
    remove(space: string): Promise<void>
  }
  readonly parseAddress: (
    given: string,
    cwd: string,
  ) => Promise<{
    readonly kind: SpaceKind
    readonly address: string
    readonly visibility: 'private' | 'unknown' | 'public'
  }>
  /** The team that this home has joined; undefined if it has not. */
  readonly findTeam?: () => JoinedTeam | undefined
  readonly openTransport: (space: SyncSpace) => Promise<SpaceTransport>
  readonly getConfig: () => Promise<Config['sync']>
  readonly readContent: ReadContent
}

export interface Sync extends SyncUseCases {
  /** Exchanges with the spaces that are due: after new checkpoints soon, else every few minutes, less often while one is away. */
  tick(): Promise<void>
  /** Something was recorded that other machines want. */
  noteChange(): void
  /** Ends after the current batch. */
  stop(): Promise<void>
}

interface SpaceRun {
  dueMs: number
  failures: number
  running?: Promise<boolean>
  sent: number
  received: number
}

const AFTER_CHECKPOINT_MS = 5_000
const FIRST_MS = 10_000
const MAX_BACK_OFF_MS = 3_600_000
const DEFAULT_WAIT_MS = 10_000
const ROOT_COMMIT_MS = 2_000
const AUDIENCES: Readonly<Record<SpaceKind, readonly SyncAudience[]>> = {
  folder: ['me'],
  ssh: ['me'],
  git: ['team'],
  team: ['me', 'team'],
}

export function createSync(ports: SyncPorts): Sync {
  const { store, clock, log, replica } = ports
  const spaces = createSpaceList({ store, sha256: ports.sha256, findTeam: ports.findTeam ?? (() => undefined) })
  const runs = new Map<string, SpaceRun>()
  let isStopped = false

  const toLedger = ({ id, instance = '' }: SpaceRecord): SyncLedger => createLedger(store, `${id}/${instance}`)
  const toMember = ({ machine, name, state, since }: KnownMember): SpaceMember => ({ machine, name, state, since })

  function getRun(id: string): SpaceRun {
    const known = runs.get(id)
    if (known !== undefined) return known
    const made: SpaceRun = { dueMs: clock.monotonicMs() + FIRST_MS, failures: 0, sent: 0, received: 0 }
    runs.set(id, made)
    return made
  }

  /** The machines of one person share one id, which a home takes over with its first space. */
  async function becomePerson({ id, address }: SpaceRecord, person: string, isJoining: boolean): Promise<void> {
    const others = (await spaces.list()).filter((space) => space.id !== id && space.kind !== 'git')
    if (ports.adoptPerson === undefined || !isJoining || others.length > 0)
      throw new HoldfastError('conflict', `${address} belongs to the machines of another person.`, {
        hint: `Share with other people over a git remote or a team server. If the person is you, set store.person to ${person}, or remove the other spaces and add this one again.`,
      })
    ports.adoptPerson(person)
    log.info('this home has the person of its space', { space: id, person })
  }

  async function forget({ id, instance }: SpaceRecord): Promise<void> {
    await store.forgetSyncSpace(`${id}/${instance ?? ''}`)
    await spaces.remove(id)
    if (instance !== undefined) await ports.keyRing.remove(instance)
    runs.delete(id)
  }

  /** Which space it is, and whose, if it is one person's. */
  async function identify(
    { kind, address, instance }: SpaceRecord,
    transport: SpaceTransport,
    isAdded: boolean,
  ): Promise<SpaceIdentity> {
    if (kind !== 'team') {
      const known = await findSpace(transport)
      if (known !== undefined) return known
      const whose = kind === 'git' ? {} : { person: ports.person.id }
      if (instance === undefined || isAdded)
        return ensureSpace(transport, { id: Buffer.from(ports.entropy.bytes(12)).toString('hex'), ...whose })
      // It alone was lost: the space is the same.
      if ((await transport.listDocuments('')).length > 0) return ensureSpace(transport, { id: instance, ...whose })
      // Where a disk was mounted is a folder of this disk.
      throw new HoldfastError('not-found', `${address} is there, and holds no space any more.`, {
        hint: 'Connect the disk. If this is to be the place from now on, run `holdfast sync add` again.',
      })
    }
    const team = ports.findTeam?.()
    if (team !== undefined) return { id: team.instance, person: team.person }
    throw new HoldfastError('not-found', `This home has left the team on ${address}.`)
  }

  async function exchange(
    given: SpaceRecord,
    run: SpaceRun,
    isMeetingOnly = false,
  ): Promise<{ readonly isWaiting: boolean; readonly mayShare: boolean; space: SpaceRecord }> {
    await using transport = await ports.openTransport(given)
    const { id: instance, person } = await identify(given, transport, isMeetingOnly)
    if (person !== undefined && person !== ports.person.id) {
      const isJoining = isMeetingOnly || (given.kind === 'team' && given.lastSuccessAt === undefined)
      await becomePerson(given, person, isJoining)
    }
    const space = { ...given, instance }
    if (given.instance !== instance) await spaces.save(space)
    const audiences = AUDIENCES[given.kind]
    const mayShare = (await transport.mayShare?.()) ?? true
    const ledger = toLedger(space)
    const sealing = await ports.loadSealing()
    const report = await exchangeRecords({
      transport,
      replica,
      ledger,
      sealing,
      keys: await ports.keyRing.load(instance),
      saveKeys: (keys) => ports.keyRing.save(instance, keys),
      principal: ports.person.id,
      audiences,
      sentAudiences: mayShare ? audiences : audiences.filter((audience) => audience !== 'team'),
      hasPersonKeys: given.kind === 'team',
      isPlain: space.isPlain,
      acceptance: (await ports.getConfig()).acceptMachines,
      sha256: ports.sha256,
      clock,
      readContent: ports.readContent,
      isMeetingOnly,
      shouldStop: () => isStopped,
      onProgress: ({ sent, received }) => {
        run.sent = sent
        run.received = received
      },
    })
    for (const { name, machine, state } of report.changes)
      log.info('a machine of a space changed', { space: space.id, machine, name, state })
    for (const { machine, first, last, refusal } of report.refused)
      log.warn('records refused', { space: space.id, machine, first, last, refusal })
    return { isWaiting: report.isWaiting, mayShare, space }
  }

  /** False if it failed; the reason is stored with the space. */
  async function exchangeNow(id: string): Promise<boolean> {
    const run = getRun(id)
    run.sent = 0
    run.received = 0
    const at = clock.now()
    const { everyMs } = await ports.getConfig()
    let space = await spaces.get(id)
    try {
      const done = await exchange(space, run)
      space = done.space
      const lastExchange = { at, isOk: true, sent: run.sent, received: run.received }
      const { isWaiting, mayShare } = done
      await spaces.save({ ...space, isWaiting, mayShare, lastExchange, lastSuccessAt: at })
      run.failures = 0
      run.dueMs = clock.monotonicMs() + everyMs
      return true
    } catch (thrown) {
      const error = getErrorMessage(thrown)
      const hint = thrown instanceof HoldfastError ? thrown.hint : undefined
      const failed = {
        at,
        isOk: false,
        sent: run.sent,
        received: run.received,
        error,
        ...(hint !== undefined && { hint }),
      }
      const known = (await spaces.list()).find((one) => one.id === id)
      if (known !== undefined) await spaces.save({ ...known, lastExchange: failed })
      run.failures += 1
      run.dueMs = clock.monotonicMs() + Math.min(MAX_BACK_OFF_MS, everyMs * 2 ** (run.failures - 1))
      log.warn('exchange failed', { space: id, error })
      return false
    }
  }

  /** One exchange of a space at a time. */
  function start(id: string): Promise<boolean> {
    const run = getRun(id)
    run.running ??= exchangeNow(id).finally(() => {
      delete run.running
    })
    return run.running
  }

  /** The project of a folder, with what identifies its repository, which is read in the background. */
  async function knowProject(cwd: string): Promise<void> {
    const { projectId, head } = await ports.locator.locate(cwd)
    const untilMs = clock.monotonicMs() + ROOT_COMMIT_MS
    if (head === undefined) return
    while (clock.monotonicMs() < untilMs) {
      const known = await store.listLocations({ projectId })
      if (known.some(({ rootCommit }) => rootCommit !== undefined)) return
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  async function toStatus(space: SpaceRecord): Promise<SpaceStatus> {
    const { instance: _instance, isWaiting = false, mayShare = true, ...shown } = space
    const ledger = toLedger(space)
    const members = await ledger.members()
    const { eventSeq } = await ledger.cursor()
    return {
      ...shown,
      isRunning: runs.get(space.id)?.running !== undefined,
      isWaiting,
      mayShare,
      members: [...members.values()].map(toMember),
      waitingEvents: space.kind === 'git' ? 0 : Math.max(0, (await store.lastSeq()) - eventSeq),
      waitingBatches: (await ledger.outbox()).size,
      refused: [...(await ledger.refused()).values()].map(({ machine, first, last, refusal, at }) => ({
        machine,
        ...(members.has(machine) && { name: members.get(machine)?.name ?? '' }),
        first,
        last,
        reason: describeRefusal(refusal),
        refusal,
        at,
      })),
    }
  }

  return {
    async addSpace({ address: given, cwd, isPlain = false, isPublicAllowed = false }: AddSpaceInput) {
      const { kind, address, visibility } = await ports.parseAddress(given, cwd)
      // It would be stored, and be an argument of a process that others can list.
      const [secret] = (await ports.redactors.forWorktree(undefined)).findings(address)
      if (secret !== undefined)
        throw new HoldfastError('invalid-input', `The address holds a secret (${secret}).`, {
          hint: 'Use a key or a credential helper, and leave it out. If it is that of a remote, `git remote set-url` changes it.',
        })
      if (isPlain && kind !== 'git')
        throw new HoldfastError('invalid-input', 'Only a git remote can be used without encryption.')
      if (visibility !== 'private' && !isPublicAllowed)
        throw new HoldfastError(
          'forbidden',
          visibility === 'public'
            ? `${address} looks public: others may be able to read records there.`
            : `Holdfast cannot find out who can read ${address}.`,
          {
            hint: `Only records that you shared with the team are sent there${isPlain ? ', readable by everyone who can read the remote' : ', encrypted'}. Use \`--yes-public\` if that is what you want.`,
          },
        )
      const space: SyncSpace = {
        id: ports.sha256(address).slice(0, 8),
        kind,
        address,
        isPlain,
        addedAt: clock.now(),
      }
      const known = (await spaces.list()).find(({ id }) => id === space.id)
      // Fails while nothing is stored if the place cannot be used.
      {
        await using transport = await ports.openTransport(space)
        await transport.listLogs()
      }
      const added = known === undefined ? space : { ...known, isPlain }
      await spaces.save(added)
      // The members that are there can give this machine the key with their next exchange.
      const met = await exchange(added, getRun(space.id), true).catch(async (thrown: unknown) => {
        if (known === undefined) await spaces.remove(space.id)
        throw thrown
      })
      await spaces.save({ ...met.space, isWaiting: met.isWaiting, mayShare: met.mayShare })
      await knowProject(cwd)
      return known === undefined ? space : { ...space, addedAt: known.addedAt }
    },

    async removeSpace({ space: named, isKept = false }: RemoveSpaceInput) {
      const space = await spaces.get(named)
      if (space.kind === 'team' && ports.findTeam?.() !== undefined)
        throw new HoldfastError('conflict', `${space.address} is a team: \`holdfast team leave\` leaves it.`)
      await runs.get(space.id)?.running
      let removed = 0
      if (!isKept) {
        await using transport = await ports.openTransport(space)
        removed = await transport.forgetMachine(replica.machine.id)
      }
      await forget(space)
      return { removed }
    },

    async runSync({ space: named, cwd, isWaitOnly = false, waitMs = DEFAULT_WAIT_MS }) {
      const chosen = named === undefined ? await spaces.list() : [await spaces.get(named)]
      if (chosen.length === 0)
        throw new HoldfastError('not-found', 'No space was added.', { hint: 'Add one with `holdfast sync add <dir>`.' })
      if (!isWaitOnly) {
        if (cwd !== undefined) await knowProject(cwd)
        // What runs already may have passed what the caller wants to have sent.
        for (const { id } of chosen) {
          const before = runs.get(id)?.running
          if (before !== undefined) void before.then(() => start(id))
          else void start(id)
        }
      }
      const running = () => chosen.flatMap(({ id }) => runs.get(id)?.running ?? [])
      const untilMs = clock.monotonicMs() + waitMs
      while (running().length > 0 && clock.monotonicMs() < untilMs)
        await Promise.race([Promise.all(running()), new Promise((resolve) => setTimeout(resolve, 500))])
      const counts = chosen.map(({ id }) => getRun(id))
      return {
        isDone: running().length === 0,
        sent: counts.reduce((sum, { sent }) => sum + sent, 0),
        received: counts.reduce((sum, { received }) => sum + received, 0),
      }
    },

    async syncStatus() {
      const listed = await spaces.list()
      return { machine: { ...replica.machine }, spaces: await Promise.all(listed.map(toStatus)) }
    },

    async acceptMachine({ space: named, machine }) {
      const ledger = toLedger(await spaces.get(named))
      const members = [...(await ledger.members()).values()]
      const found = members.filter((member) => member.machine.startsWith(machine) || member.name === machine)
      const [member] = found
      if (member === undefined || found.length > 1)
        throw new HoldfastError('not-found', `${found.length} machines of this space match "${machine}".`, {
          hint: 'Run `holdfast sync status`: it lists them.',
        })
      if (member.state === 'refused')
        throw new HoldfastError('conflict', `The keys of ${member.name} have changed.`, {
          hint: 'If its home was created again, run `holdfast sync remove` and `holdfast sync add` here to accept the new keys.',
        })
      const accepted: KnownMember = { ...member, state: 'accepted' }
      await ledger.write([toEntry(ledger.name('member', member.machine), accepted)])
      return toMember(accepted)
    },

    async tick() {
      if (isStopped) return
      for (const left of await spaces.listLeft()) await forget(left)
      for (const { id } of await spaces.list()) if (clock.monotonicMs() >= getRun(id).dueMs) void start(id)
    },

    noteChange() {
      const soonMs = clock.monotonicMs() + AFTER_CHECKPOINT_MS
      for (const run of runs.values()) if (run.failures === 0) run.dueMs = Math.min(run.dueMs, soonMs)
    },

    async stop() {
      isStopped = true
      await Promise.all([...runs.values()].flatMap(({ running }) => running ?? []))
    },
  }
}
