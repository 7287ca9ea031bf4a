import { constants } from 'node:fs'
import { open, readdir, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { isEnvFile } from '../core/env-file.ts'
import type { Clock, Redactor, Redactors } from '../core/ports.ts'
import { secretValuesOf } from '../core/redaction/env-values.ts'
import { createRedactor } from '../core/redaction/redactor.ts'

const MAX_FILES = 20
const MAX_BYTES = 65_536
const MAX_VALUES = 500
const MAX_WORKTREES = 64
/** Env files change by hand: looking again sooner would only cost. */
const RECHECK_MS = 1_000

interface EnvFile {
  /** Changes when the content does, as far as the file system tells. */
  readonly stamp: string
  readonly text: string
}

/** The beginning of one regular file inside the worktree; undefined for anything else. */
async function readEnvFile(root: string, name: string): Promise<EnvFile | undefined> {
  const path = await realpath(join(root, name))
  if (!path.startsWith(root + sep)) return undefined
  // Without waiting: a FIFO by that name must not hang us.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const facts = await file.stat()
    if (!facts.isFile()) return undefined
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0)
    return { stamp: `${path}:${facts.mtimeMs}:${facts.size}`, text: buffer.toString('utf8', 0, bytesRead) }
  } finally {
    await file.close()
  }
}

async function readEnvFiles(worktree: string): Promise<EnvFile[]> {
  const root = await realpath(worktree)
  const names = (await readdir(root)).filter(isEnvFile).sort().slice(0, MAX_FILES)
  const files = await Promise.all(names.map((name) => readEnvFile(root, name).catch(() => undefined)))
  return files.filter((file) => file !== undefined)
}

interface Known {
  readonly stamp: string
  readonly checkedAtMs: number
  readonly redactor: Redactor
}

export interface RedactorsOptions {
  /** False: the project's env files are not read, and only what is known for everyone is found. */
  readonly enabled?: boolean
  readonly clock: Pick<Clock, 'monotonicMs'>
}

/** A redactor per worktree, renewed when one of its env files has changed. */
export function createRedactors({ enabled = true, clock }: RedactorsOptions): Redactors {
  const plain = createRedactor()
  const known = new Map<string, Known>()

  async function renew(worktree: string, before: Known | undefined): Promise<Known> {
    const checkedAtMs = clock.monotonicMs()
    const files = await readEnvFiles(worktree)
    const stamp = files.map((file) => file.stamp).join('\n')
    if (before?.stamp === stamp) return { ...before, checkedAtMs }
    const values = [...new Set(files.flatMap((file) => secretValuesOf(file.text)))].slice(0, MAX_VALUES)
    return { stamp, checkedAtMs, redactor: values.length === 0 ? plain : createRedactor({ extraValues: values }) }
  }

  return {
    async forWorktree(worktree) {
      if (!enabled || worktree === undefined) return plain
      const before = known.get(worktree)
      if (before && clock.monotonicMs() - before.checkedAtMs < RECHECK_MS) return before.redactor
      try {
        const now = await renew(worktree, before)
        known.delete(worktree)
        known.set(worktree, now)
        const [oldest] = known.keys()
        if (known.size > MAX_WORKTREES && oldest !== undefined) known.delete(oldest)
        return now.redactor
      } catch {
        // The port never throws: a worktree that is gone or unreadable keeps what was known of it.
        return before?.redactor ?? plain
      }
    },
  }
}
