import type { ContinuityPorts } from '../../kernel/ports/runtime.ts'
import type { Home } from '../../platform/base/home.ts'
import { createSync, type Sync } from '../../sync/create-sync.ts'
import { createLocalReplica } from '../../sync/local-replica.ts'
import { openTransport } from '../../sync/io/open-transport.ts'
import { readContent } from './read-batch-content.ts'
import { parseAddress } from '../../sync/io/address.ts'
import { createKeyRing, loadSealing } from '../../sync/io/key-files.ts'
import { type DocumentCache, openTeamSpace } from '../../team/io/client/http-transport.ts'
import { readMembership } from '../../team/io/client/membership-file.ts'
import { createRecordExport } from '../../transfer/records/export-records.ts'
import type { RecordImport } from '../../transfer/records/import-records.ts'

export interface SyncOptions {
  readonly home: Home
  /** For ssh and git, which use the user's own keys. */
  readonly env?: NodeJS.ProcessEnv
  /** Makes this home one of that person's; absent where that is decided elsewhere. */
  readonly adoptPerson?: (id: string) => void
}

/** Exchanges with other machines, on this machine's disk, ssh and git. */
export function openSync(ports: ContinuityPorts, transfer: RecordImport, options: SyncOptions): Sync {
  const { home, env = {}, adoptPerson } = options
  const replica = createLocalReplica(ports, { ...transfer, ...createRecordExport(ports) })

  const documents: DocumentCache = new Map()

  return createSync({
    ...ports,
    replica,
    ...(adoptPerson !== undefined && { adoptPerson }),
    loadSealing: () => loadSealing(home),
    keyRing: createKeyRing(home),
    parseAddress,
    findTeam() {
      const joined = readMembership(home)
      if (joined === undefined) return undefined
      const { server, team, person, joinedAt } = joined
      return { server, person, joinedAt, instance: `${team}-${Date.parse(joinedAt)}` }
    },
    openTransport: (space) =>
      openTransport(space, { home, env, machine: replica.machine.id, openTeam: () => openTeamSpace(home, documents) }),
    getConfig: async () => (await ports.configFor(undefined)).sync,
    readContent,
  })
}
