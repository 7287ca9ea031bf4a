import { constants } from 'node:fs'
import { open, readdir, realpath } from 'node:fs/promises'
import { isAbsolute, join, relative, sep } from 'node:path'
import { isEnvFile, hideEnvFiles } from '../redaction/env-files.ts'
import type { Clock, Redactor, Redactors } from '../kernel/ports/ports.ts'
import { extractSecretValues } from '../redaction/env-values.ts'
import { limitPayload } from '../redaction/capture-level.ts'
import type { Home } from './base/home.ts'
import { readCaptureLevel } from './config.ts'
import { createRedactor } from '../redaction/redactor.ts'
import { BoundedMap } from '../kernel/structures/bounded-map.ts'
import { redactDeep } from '../redaction/redact-deep.ts'
import { findCheckout } from './git/git-dir.ts'
import { currentFolder } from './process/programs.ts'

function findCwd(payload: unknown): string | undefined {
  if (typeof payload !== 'object' || payload === null || !('cwd' in payload)) return undefined
  return typeof payload.cwd === 'string' ? payload.cwd : undefined
}

/** Includes the values of the project's env files: the spool is the first place where a payload is written to disk. */
async function redactorFor(payload: unknown, clock: Clock): Promise<Redactor> {
  const cwd = findCwd(payload) ?? currentFolder()
  const worktree = cwd === undefined ? undefined : ((await findCheckout(cwd))?.worktree ?? cwd)
  return createRedactors({ clock }).forWorktree(worktree, cwd)
}

export interface CleanPayload {
  readonly isJson: boolean
  /** The text itself if it is not JSON. */
  readonly payload: unknown
}

/** Removes secrets from a parsed payload before it is written to disk, and what its project does not want stored; undefined: all of it. */
export async function redactParsed(payload: unknown, clock: Clock, home?: Pick<Home, 'configFile'>): Promise<unknown> {
  const level = home === undefined ? 'full' : readCaptureLevel(home, findCwd(payload) ?? currentFolder())
  if (level === 'off') return undefined
  // In this order: `redactDeep` also bounds the nesting.
  const clean = hideEnvFiles(redactDeep(payload, await redactorFor(payload, clock)))
  return level === 'full' ? clean : limitPayload(clean)
}

/** The same for a payload that is still text. */
export async function redactPayload(
  text: string,
  clock: Clock,
  home?: Pick<Home, 'configFile'>,
): Promise<CleanPayload> {
  let payload: unknown
  try {
    payload = JSON.parse(text)
  } catch {
    const isKept = home === undefined || readCaptureLevel(home, currentFolder()) === 'full'
    return { isJson: false, payload: isKept ? (await redactorFor(undefined, clock)).redact(text) : '' }
  }
  return { isJson: true, payload: await redactParsed(payload, clock, home) }
}

const MAX_FILES = 20
const MAX_DEPTH = 8
const MAX_BYTES = 65_536
const MAX_VALUES = 500
const MAX_WORKTREES = 64
/** Env files are edited by hand: checking more often is not worth the cost. */
const RECHECK_MS = 1_000

interface EnvFile {
  /** Changes with the content, as far as the file system reports it. */
  readonly stamp: string
  readonly text: string
}

/** The start of a regular file inside the worktree; undefined for anything else. */
async function readEnvFile(root: string, spelled: string): Promise<EnvFile | undefined> {
  const path = await realpath(spelled)
  if (!path.startsWith(root + sep)) return undefined
  // Non-blocking: a FIFO with that name must not hang us.
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

/** The worktree's root and, for a session in a subfolder, every folder on the path to it. */
async function listFolders(root: string, cwd: string | undefined): Promise<string[]> {
  const below = cwd === undefined ? '' : relative(root, await realpath(cwd).catch(() => root))
  const parts = below === '' || below.startsWith('..') || isAbsolute(below) ? [] : below.split(sep).slice(0, MAX_DEPTH)
  return [root, ...parts.map((_, depth) => join(root, ...parts.slice(0, depth + 1)))]
}

async function readEnvFiles(worktree: string, cwd: string | undefined): Promise<EnvFile[]> {
  const root = await realpath(worktree)
  const folders = await listFolders(root, cwd)
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

interface CachedRedactor {
  readonly stamp: string
  readonly checkedAtMs: number
  readonly redactor: Redactor
}

export interface RedactorsOptions {
  /** If false, the project's env files are not read, and only general rules apply. */
  readonly enabled?: boolean | ((worktree: string) => boolean)
  readonly clock: Pick<Clock, 'monotonicMs'>
}

/** A redactor per worktree, renewed when one of its env files changes. */
export function createRedactors({ enabled = true, clock }: RedactorsOptions): Redactors {
  const plain = createRedactor()
  const isEnabled = (worktree: string) => (typeof enabled === 'boolean' ? enabled : enabled(worktree))
  const known = new BoundedMap<string, CachedRedactor>(MAX_WORKTREES)

  async function renew(
    worktree: string,
    cwd: string | undefined,
    before: CachedRedactor | undefined,
  ): Promise<CachedRedactor> {
    const checkedAtMs = clock.monotonicMs()
    const files = await readEnvFiles(worktree, cwd)
    const stamp = files.map((file) => file.stamp).join('\n')
    if (before?.stamp === stamp) return { ...before, checkedAtMs }
    const values = [...new Set(files.flatMap((file) => extractSecretValues(file.text)))].slice(0, MAX_VALUES)
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
        known.set(key, now)
        return now.redactor
      } catch {
        // The port never throws: a missing or unreadable worktree keeps its last redactor.
        return before?.redactor ?? plain
      }
    },
  }
}
