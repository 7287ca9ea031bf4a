import type { Kysely } from 'kysely'
import { type ChangingKind, JUST_DELETED } from '../../../kernel/ports/record-store.ts'
import type { Tables } from '../../rows/schema.ts'

/** Notes their deletion, so that other homes delete their copies. A record that no other home can have needs no note. */
export async function markDeleted(db: Kysely<Tables>, kind: ChangingKind, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db
    .updateTable('record_versions')
    .set({ hash: JUST_DELETED, body: null })
    .where('kind', '=', kind)
    .where('id', 'in', ids)
    .execute()
}
