import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { SessionId } from '../../kernel/id.ts'
import { ensurePrivateDir, writeFileAtomic } from '../../platform/files/atomic-file.ts'
import type { Home } from '../../platform/base/home.ts'
import type { DigestRun } from '../run-limits.ts'

const MAX_RUNS = 200

const Runs = z.array(
  z.object({
    at: z.string(),
    sessionId: z.string().transform((id) => SessionId(id)),
    ms: z.number(),
    chars: z.number().optional(),
    error: z.string().optional(),
  }),
)

type RunsHome = Pick<Home, 'root' | 'runDir'>

function toRunsFile({ runDir }: RunsHome): string {
  return `${runDir}/digest-runs.json`
}

/** The latest runs of the daemon, oldest first. Empty if there is no file or it cannot be read. */
export function readDigestRuns(home: RunsHome): readonly DigestRun[] {
  try {
    return Runs.parse(JSON.parse(readFileSync(toRunsFile(home), 'utf8')))
  } catch {
    // None yet, or written by another version: the limits begin again.
    return []
  }
}

/** Only the daemon writes it. Throws if the disk refuses. */
export function appendDigestRun(home: RunsHome, run: DigestRun): void {
  ensurePrivateDir(home.runDir, home.root)
  writeFileAtomic(toRunsFile(home), `${JSON.stringify([...readDigestRuns(home), run].slice(-MAX_RUNS))}\n`, {
    mode: 0o600,
  })
}
