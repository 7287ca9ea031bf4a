import type { Clock, Redactor } from '../kernel/ports/ports.ts'
import { hideEnvFiles } from '../redaction/hide-env-files.ts'
import { redactDeep } from '../redaction/redact-deep.ts'
import { createRedactors } from './env-secrets.ts'
import { findCheckout } from './git/git-dir.ts'

function cwdOf(payload: unknown): string | undefined {
  if (typeof payload !== 'object' || payload === null || !('cwd' in payload)) return undefined
  return typeof payload.cwd === 'string' ? payload.cwd : undefined
}

/** Hooks run in the project; undefined when its folder is gone. */
function ownCwd(): string | undefined {
  try {
    return process.cwd()
  } catch {
    return undefined
  }
}

/** Knows the values of the project's own env files too: the spool is the first disk that a payload touches. */
async function redactorFor(payload: unknown, clock: Clock): Promise<Redactor> {
  const cwd = cwdOf(payload) ?? ownCwd()
  const worktree = cwd === undefined ? undefined : ((await findCheckout(cwd))?.worktree ?? cwd)
  return createRedactors({ clock }).forWorktree(worktree, cwd)
}

export interface CleanPayload {
  readonly isJson: boolean
  /** The text itself where it is not JSON. */
  readonly payload: unknown
}

/** A parsed payload as it may touch a disk: without its secrets. */
export async function redactParsed(payload: unknown, clock: Clock): Promise<unknown> {
  // In this order: redacting ends what is nested without end.
  return hideEnvFiles(redactDeep(payload, await redactorFor(payload, clock)))
}

/** The same for one that is still text. */
export async function redactPayload(text: string, clock: Clock): Promise<CleanPayload> {
  let payload: unknown
  try {
    payload = JSON.parse(text)
  } catch {
    return { isJson: false, payload: (await redactorFor(undefined, clock)).redact(text) }
  }
  return { isJson: true, payload: await redactParsed(payload, clock) }
}
