import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { createRedactor } from '../core/redaction/redactor.ts'
import type { Clock, Redactor, Redactors } from '../core/ports.ts'

const MAX_FILES = 20
const MAX_FILE_BYTES = 65_536
const MIN_VALUE_CHARS = 8
/** Long enough that a burst of events reads the folder once, short enough that a new key is known at the next prompt. */
const CACHE_MS = 2_000

const ENV_FILE = /^\.env(?:\.[\w.-]{1,40})?$/
/** Settings, not secrets: redacting them would take ordinary words out of every text. */
const ORDINARY =
  /^(?:true|false|null|none|yes|no|on|off|development|production|test|staging|localhost.*|\d+|[a-z]+|https?:\/\/[^@]*|[./~][\w./-]*|[\w.-]+@[\w.-]+|\$\{?\w+\}?)$/i
const SAMPLE = /example|sample|template/i

function valueOf(line: string): string | undefined {
  const assignment = /^\s*(?:export\s+)?[A-Za-z_][\w.]*\s*=\s*(.*)$/.exec(line)
  if (assignment === null) return undefined
  const raw = (assignment[1] ?? '').trim()
  const quoted = /^(["'`])(.*)\1\s*(?:#.*)?$/.exec(raw)
  return quoted === null ? raw.replace(/\s+#.*$/, '') : quoted[2]
}

function readSmallFile(path: string): string {
  // No link is followed: a hostile repository must not make us read files outside it.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    if (!fstatSync(fd).isFile()) return ''
    const buffer = Buffer.alloc(MAX_FILE_BYTES)
    return buffer.toString('utf8', 0, readSync(fd, buffer, 0, MAX_FILE_BYTES, 0))
  } finally {
    closeSync(fd)
  }
}

/** The values of a folder's env files that look like secrets; empty when there are none or they cannot be read. */
export function envSecrets(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => ENV_FILE.test(name) && !SAMPLE.test(name))
    const lines = names.slice(0, MAX_FILES).flatMap((name) => readSmallFile(join(folder, name)).split(/\r?\n/))
    const values = lines.flatMap((line) => valueOf(line) ?? [])
    return [...new Set(values.filter((value) => value.length >= MIN_VALUE_CHARS && !ORDINARY.test(value)))]
  } catch {
    // Unreadable or gone: then no tool can have shown its values either.
    return []
  }
}

export interface RedactorsOptions {
  readonly clock: Pick<Clock, 'monotonicMs'>
  /** False leaves env files unread. */
  readonly envFiles?: boolean
}

export function createRedactors({ clock, envFiles = true }: RedactorsOptions): Redactors {
  const general = createRedactor()
  const known = new Map<string, { readonly readAtMs: number; readonly key: string; readonly redactor: Redactor }>()
  return {
    async forWorktree(worktree) {
      if (worktree === undefined || !envFiles) return general
      const cached = known.get(worktree)
      const nowMs = clock.monotonicMs()
      if (cached !== undefined && nowMs - cached.readAtMs < CACHE_MS) return cached.redactor
      const values = envSecrets(worktree)
      const key = values.join('\n')
      const redactor =
        cached?.key === key ? cached.redactor : values.length === 0 ? general : createRedactor({ extraValues: values })
      known.set(worktree, { readAtMs: nowMs, key, redactor })
      return redactor
    },
  }
}
