import type { ProjectId, SessionId } from '../../kernel/id.ts'
import type { ChangingKind } from '../../kernel/ports/record-store.ts'

/** What was exchanged with other homes. `body`: the content, if what it belongs to may arrive later. */
export interface RecordVersionsTable {
  kind: ChangingKind
  id: string
  project_id: ProjectId | null
  count: number
  machine: string
  hash: string
  body: string | null
}

export interface MachinesTable {
  id: string
  name: string
  person: string
  person_name: string
  public_key: string | null
}

/** `body` is the tombstone; `hash` covers it. */
export interface TombstonesTable {
  id: string
  hash: string
  body: string
}

/** `seq`: the end of the log when it was said. */
export interface TakenWorkTable {
  worktree: string
  session_id: SessionId
  seq: number
  at: string
}

export interface ErasedIdsTable {
  digest: string
  tombstone: string
}
