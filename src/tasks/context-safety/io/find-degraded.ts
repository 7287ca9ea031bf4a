import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as z from 'zod'
import { listTaskSlugs } from '../../files/task-folder.ts'

const Sandboxed = z.object({ session_id: z.string(), sandbox: z.object({ since: z.string() }) })
const Active = z.object({ state: z.literal('active') })

function read<T>(file: string, schema: z.ZodType<T>): T | undefined {
  try {
    return schema.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data
  } catch {
    // Missing, or damaged: `checkpoints verify` reports it.
    return undefined
  }
}

function listJson(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.json'))
  } catch {
    // No session of this task has a safety record.
    return []
  }
}

/** A task above `directory` with an active session that is degraded to read-only. Reads files only, without the daemon. */
export function findDegradedTaskAbove(directory: string): string | undefined {
  for (let at = directory; ; at = dirname(at)) {
    for (const slug of listTaskSlugs(at)) {
      const json = join(at, 'tasks', slug)
      const isDegraded = listJson(join(json, 'logs', 'long-context')).some((name) => {
        const record = read(join(json, 'logs', 'long-context', name), Sandboxed)
        return (
          record !== undefined &&
          read(join(json, 'json', 'sessions', `${record.session_id}.json`), Active) !== undefined
        )
      })
      if (isDegraded) return slug
    }
    if (dirname(at) === at) return undefined
  }
}
