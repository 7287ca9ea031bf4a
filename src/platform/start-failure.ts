import { readFileSync, rmSync } from 'node:fs'
import * as z from 'zod'
import { ERROR_CODES, HoldfastError, getErrorMessage } from '../kernel/errors.ts'
import { createRedactor } from '../redaction/redactor.ts'
import { ensurePrivateDir, writeFileAtomic } from './files/atomic-file.ts'
import type { Home } from './base/home.ts'
import { PERMANENT_FAILURES } from './permanent-failures.ts'
import { saveStartNotices, type StartNotices } from './start-notices.ts'

type FailureHome = Pick<Home, 'root' | 'runDir' | 'startFailureFile' | 'startNoticesFile' | 'startNoticesPrintedFile'>

const StartFailure = z.object({
  code: z.enum(ERROR_CODES),
  message: z.string(),
  hint: z.string().optional(),
  /** The pid of the daemon that did not start. */
  pid: z.int(),
})
export type StartFailure = z.output<typeof StartFailure>

function toSentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`
}

/**
 * Saves why the daemon did not start, for the CLI and the next session to report. Never throws: there is a failure to report
 * already.
 */
export function saveStartFailure(
  home: FailureHome,
  thrown: unknown,
  { pid, renderNotices }: { readonly pid: number; readonly renderNotices?: (text: string) => StartNotices },
): void {
  const redactor = createRedactor()
  const { code, hint } = thrown instanceof HoldfastError ? thrown : { code: 'internal' as const, hint: undefined }
  const failure: StartFailure = {
    code,
    message: redactor.redact(getErrorMessage(thrown)),
    ...(hint === undefined ? {} : { hint: redactor.redact(hint) }),
    pid,
  }
  try {
    ensurePrivateDir(home.runDir, home.root)
    writeFileAtomic(home.startFailureFile, `${JSON.stringify(failure)}\n`, { mode: 0o600 })
    const notice = `Holdfast: the daemon cannot start. Nothing is recovered in this session, and its events wait on disk. ${toSentence(failure.message)} \`holdfast doctor\` says what to do.`
    if (renderNotices !== undefined && PERMANENT_FAILURES.has(code)) saveStartNotices(home, renderNotices(notice))
  } catch {
    // The log has it, if anything can be written at all.
  }
}

export function clearStartFailure(home: FailureHome): void {
  for (const file of [home.startFailureFile, home.startNoticesFile, home.startNoticesPrintedFile])
    rmSync(file, { force: true })
}

export function findStartFailure({ startFailureFile }: Pick<Home, 'startFailureFile'>): StartFailure | undefined {
  try {
    return StartFailure.parse(JSON.parse(readFileSync(startFailureFile, 'utf8')))
  } catch {
    // None, or written by another version.
    return undefined
  }
}
