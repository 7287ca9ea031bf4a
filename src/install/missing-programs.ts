import { existsSync, readFileSync } from 'node:fs'
import type { Installation } from './manifest.ts'
import type { EditKind } from './contract/settings-edit.ts'
import { findTooOldNode } from '../platform/process/node-version.ts'

/** A program that an installed entry calls, and that is missing or a Node that is too old. */
export interface MissingProgram {
  readonly kind: EditKind
  readonly harness: string
  /** The settings file with the entry. */
  readonly settings: string
  readonly program: string
  /** The version of a Node that exists. */
  readonly tooOld?: string
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

const isNode = (program: string) => program.endsWith('/node')

/** Undefined when the program can be run. */
function findFault(program: string): Pick<MissingProgram, 'program' | 'tooOld'> | undefined {
  if (!existsSync(program)) return { program }
  const tooOld = isNode(program) ? findTooOldNode(program) : undefined
  return tooOld === undefined ? undefined : { program, tooOld }
}

/** The Node that an installation names, where it can be run: another one than that of this command is not a fault. */
export function findRecordedNode({ files }: Installation): string | undefined {
  const programs = files.flatMap(({ insertions }) => insertions.flatMap(({ text }) => findPrograms(text)))
  return programs.find((program) => isNode(program) && findFault(program) === undefined)
}

/** Whether nothing was recorded without it: hooks use another Node where theirs cannot be run, and note it when there is none. */
export function isNeededByHooks({ kind, program }: MissingProgram): boolean {
  return kind !== 'mcp' && !isNode(program)
}

/** Entries that call a missing program after the checkout or Node was moved, deleted or replaced. One for each kind and program. */
export function findMissingPrograms(records: readonly Installation[]): readonly MissingProgram[] {
  return records.flatMap(({ harness, files }) =>
    files.flatMap(({ role, path, insertions }) => {
      if (role === 'config') return []
      const programs = new Set(insertions.flatMap(({ text }) => findPrograms(text)))
      const faults = [...programs].flatMap((program) => findFault(program) ?? [])
      if (faults.length === 0) return []
      const now = read(path)
      return faults
        .filter(({ program }) => now.includes(program))
        .map((fault) => ({ kind: role, harness, settings: path, ...fault }))
    }),
  )
}

/** Why nothing is recorded, or no tool answers, as a sentence. */
export function describeMissingProgram({ kind, harness, program, tooOld }: MissingProgram): string {
  const what = kind === 'mcp' ? 'the MCP entry' : kind === 'plugin' ? 'the plugin' : 'the hooks'
  const effect = kind === 'mcp' ? 'its tools are not available' : 'its sessions are not recorded'
  const why = tooOld === undefined ? 'which does not exist' : `which is Node ${tooOld}, too old for Holdfast`
  if (isNode(program) && kind !== 'mcp')
    return `${what} of ${harness} name ${program}, ${why}: another Node in PATH is used, if there is one`
  return `${what} of ${harness} ${kind === 'hooks' ? 'call' : 'calls'} ${program}, ${why}: ${effect}`
}
