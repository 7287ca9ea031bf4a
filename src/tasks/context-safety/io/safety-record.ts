import * as z from 'zod'
import { BANDS, EMPTY_METER } from '../../../kernel/context-meter.ts'
import type { TaskFolder } from '../../files/task-folder.ts'

const MAX_HISTORY = 200

const SafetyRecordSchema = z.object({
  schema_version: z.literal(1),
  session_id: z.string(),
  meter: z.object({ tokens: z.number(), fired: z.array(z.enum(BANDS)), refreshedAt: z.number() }),
  /** The harness's own usage, or an estimate from event texts. */
  tokens_source: z.enum(['measured', 'estimated']).nullable(),
  /** The first refusal rate; null until there are enough answers. */
  baseline_refusal_rate: z.number().nullable(),
  sandbox: z.object({ since: z.string(), checkpoint_id: z.string(), reason: z.string() }).nullable(),
  /** The child session created when the context budget was reached. */
  fork: z.object({ session_id: z.string(), opening: z.string() }).nullable(),
  /** The summary of the newest context refresh, for the agent. */
  refresh: z
    .object({ checkpoint_id: z.string(), tokens_flushed: z.number(), text: z.string() })
    .nullable()
    .default(null),
  history: z.array(z.object({ at: z.string(), what: z.string(), detail: z.string() })),
})

/** `logs/long-context/<session_id>.json`: one file per session, so that two clones never write the same file. */
export type SafetyRecord = z.output<typeof SafetyRecordSchema>

export const safetyPath = (sessionId: string) => `logs/long-context/${sessionId}.json`

export function readSafety(folder: TaskFolder, sessionId: string): SafetyRecord {
  const known = folder.json(safetyPath(sessionId), SafetyRecordSchema)
  return (
    known ?? {
      schema_version: 1,
      session_id: sessionId,
      meter: { ...EMPTY_METER, fired: [] },
      tokens_source: null,
      baseline_refusal_rate: null,
      sandbox: null,
      fork: null,
      refresh: null,
      history: [],
    }
  )
}

export function updateSafety(
  folder: TaskFolder,
  sessionId: string,
  change: (record: SafetyRecord) => SafetyRecord,
): Promise<SafetyRecord> {
  return folder.locked(() => {
    const after = change(readSafety(folder, sessionId))
    folder.writeJson(safetyPath(sessionId), { ...after, history: after.history.slice(-MAX_HISTORY) })
    return after
  })
}
