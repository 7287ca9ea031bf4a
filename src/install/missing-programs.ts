import { existsSync, readFileSync } from 'node:fs'
import type { Installation } from './manifest.ts'
import type { EditKind } from './contract/settings-edit.ts'

/** A missing program that an installed entry calls. */
export interface MissingProgram {
  readonly kind: EditKind
  readonly harness: string
  /** The settings file with the entry. */
  readonly settings: string
  readonly program: string
}

/** Paths of Holdfast and of Node in what an install wrote, quoted by the shell, by JSON or not at all. */
const PROGRAM = String.raw`(?:launcher\.sh|bin\/holdfast|dist\/[\w.-]+\.[cm]?js|\/node)`
const QUOTED = new RegExp(String.raw`(["'])(\/(?:(?!\1)[^\n])*?${PROGRAM})\1`, 'g')
const BARE = new RegExp(String.raw`(?<=[\s"'=])(\/[^\s"'\\]*${PROGRAM})(?=[\s"'\\])`, 'g')

function findPrograms(text: string): readonly string[] {
  const quoted = [...text.matchAll(QUOTED)].map(([, , path]) => path)
  const bare = [...text.matchAll(BARE)].map(([, path]) => path)
  return [...new Set([...bare, ...quoted])].flatMap((path) => (path === undefined || path.includes(' /') ? [] : [path]))
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // Reported with the edit itself.
    return ''
  }
}

/** Entries that call a missing program after the checkout or Node was moved, deleted or replaced. One for each kind and program. */
export function findMissingPrograms(records: readonly Installation[]): readonly MissingProgram[] {
  return records.flatMap(({ harness, files }) =>
    files.flatMap(({ role, path, insertions }) => {
      if (role === 'config') return []
      const programs = insertions.flatMap(({ text }) => findPrograms(text)).filter((program) => !existsSync(program))
      if (programs.length === 0) return []
      const now = read(path)
      return [...new Set(programs)]
        .filter((program) => now.includes(program))
        .map((program) => ({ kind: role, harness, settings: path, program }))
    }),
  )
}

/** Why nothing is recorded, or no tool answers, as a sentence. */
export function describeMissingProgram({ kind, harness, program }: MissingProgram): string {
  const what = kind === 'mcp' ? 'the MCP entry' : kind === 'plugin' ? 'the plugin' : 'the hooks'
  const effect = kind === 'mcp' ? 'its tools are not available' : 'its sessions are not recorded'
  if (program.endsWith('/node') && kind !== 'mcp')
    return `${what} of ${harness} name ${program}, which does not exist: another Node in PATH is used, if there is one`
  return `${what} of ${harness} ${kind === 'hooks' ? 'call' : 'calls'} ${program}, which does not exist: ${effect}`
}
