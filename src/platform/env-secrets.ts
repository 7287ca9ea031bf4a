import { constants } from 'node:fs'
import { open, readdir, realpath } from 'node:fs/promises'
import { isAbsolute, join, relative, sep } from 'node:path'
import { isEnvFile } from '../redaction/env-file.ts'
import type { Clock, Redactor, Redactors } from '../kernel/ports/ports.ts'
import { secretValuesOf } from '../redaction/env-values.ts'
import { createRedactor } from '../redaction/redactor.ts'

const MAX_FILES = 20
const MAX_DEPTH = 8
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
async function readEnvFile(root: string, spelled: string): Promise<EnvFile | undefined> {
  const path = await realpath(spelled)
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

/** The worktree's root and, for a session in a package of it, every folder on the way there. */
async function foldersOf(root: string, cwd: string | undefined): Promise<string[]> {
  const below = cwd === undefined ? '' : relative(root, await realpath(cwd).catch(() => root))
  const parts = below === '' || below.startsWith('..') || isAbsolute(below) ? [] : below.split(sep).slice(0, MAX_DEPTH)
  return [root, ...parts.map((_, depth) => join(root, ...parts.slice(0, depth + 1)))]
}

async function readEnvFiles(worktree: string, cwd: string | undefined): Promise<EnvFile[]> {
  const root = await realpath(worktree)
  const folders = await foldersOf(root, cwd)
  const names = await Promise.all(
    folders.map(async (folder) =>
      (await readdir(folder))
        .filter(isEnvFile)
        .sort()
        .map((name) => join(folder, name)),
    ),
  )
  const paths = names.flat().slice(0, MAX_FILES)
  const files = await Promise.all(paths.map((path) => readEnvFile(root, path).catch(() => undefined)))
  return files.filter((file) => file !== undefined)
}

interface Known {
  readonly stamp: string
  readonly checkedAtMs: number
  readonly redactor: Redactor
}

export interface RedactorsOptions {
  /** Where it is false, the project's env files are not read, and only what is known for everyone is found. */
  readonly enabled?: boolean | ((worktree: string) => boolean)
  readonly clock: Pick<Clock, 'monotonicMs'>
}

/** A redactor per worktree, renewed when one of its env files has changed. */
export function createRedactors({ enabled = true, clock }: RedactorsOptions): Redactors {
  const plain = createRedactor()
  const isEnabled = (worktree: string) => (typeof enabled === 'boolean' ? enabled : enabled(worktree))
  const known = new Map<string, Known>()

  async function renew(worktree: string, cwd: string | undefined, before: Known | undefined): Promise<Known> {
    const checkedAtMs = clock.monotonicMs()
    const files = await readEnvFiles(worktree, cwd)
    const stamp = files.map((file) => file.stamp).join('\n')
    if (before?.stamp === stamp) return { ...before, checkedAtMs }
    const values = [...new Set(files.flatMap((file) => secretValuesOf(file.text)))].slice(0, MAX_VALUES)
    return { stamp, checkedAtMs, redactor: values.length === 0 ? plain : createRedactor({ extraValues: values }) }
  }

  return {
    async forWorktree(worktree, cwd) {
      if (worktree === undefined || !isEnabled(worktree)) return plain
      const key = cwd === undefined || cwd === worktree ? worktree : `${worktree}\0${cwd}`
      const before = known.get(key)
      if (before && clock.monotonicMs() - before.checkedAtMs < RECHECK_MS) return before.redactor
      try {
        const now = await renew(worktree, cwd, before)
        known.delete(key)
        known.set(key, now)
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
