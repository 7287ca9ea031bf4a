import type { Verdict } from '../../kernel/injection.ts'
import { stripCommandFolder, getCommandFolder } from '../../kernel/shell/command.ts'
import { isScratch } from '../../kernel/paths/paths.ts'

/** A script that a manifest in the worktree defines. */
export interface ScriptName {
  /** Worktree-relative, in the order in which the program looks for them; the first that exists decides. */
  readonly manifests: readonly string[]
  /** The manifest is the program itself. */
  readonly isFile?: true
  /** `cannot-tell` if the manifest cannot be parsed, or includes others. */
  verdictIn(manifestText: string): Exclude<Verdict, 'changed'>
}

type ReadsManifest = Pick<ScriptName, 'verdictIn'> & {
  readonly names: readonly string[]
  /** The program looks in parent folders too. */
  readonly looksUp: boolean
}

function definedIf(isDefined: boolean): 'holds' | 'gone' {
  return isDefined ? 'holds' : 'gone'
}

/** Half-written, in conflict, cut off or with comments: unknown what it defines. */
function inJson(text: string, key: string, name: string): 'holds' | 'gone' | 'cannot-tell' {
  try {
    const parsed: unknown = JSON.parse(text)
    const members: unknown = typeof parsed === 'object' && parsed !== null ? Reflect.get(parsed, key) : undefined
    return definedIf(typeof members === 'object' && members !== null && Object.hasOwn(members, name))
  } catch {
    return 'cannot-tell'
  }
}

function npmScript(name: string): ReadsManifest {
  return { names: ['package.json'], looksUp: true, verdictIn: (text) => inJson(text, 'scripts', name) }
}

function makeTarget(name: string): ReadsManifest {
  return {
    names: ['GNUmakefile', 'makefile', 'Makefile'],
    looksUp: false,
    verdictIn(text) {
      const lines = text.split('\n')
      const targets = lines.flatMap((line) => /^([^\s#:=][^:=#]*):(?!=)/.exec(line)?.[1]?.split(/\s+/) ?? [])
      if (targets.includes(name)) return 'holds'
      // A pattern rule (`test-%`, `$(BINS)`), or an include.
      const mayBeElsewhere =
        targets.some((target) => /[%$]/.test(target)) || lines.some((line) => /^-?s?include\s/.test(line))
      return mayBeElsewhere ? 'cannot-tell' : 'gone'
    },
  }
}

function denoTask(name: string): ReadsManifest {
  return { names: ['deno.json', 'deno.jsonc'], looksUp: true, verdictIn: (text) => inJson(text, 'tasks', name) }
}

function composerScript(name: string): ReadsManifest {
  return { names: ['composer.json'], looksUp: false, verdictIn: (text) => inJson(text, 'scripts', name) }
}

/** `recipe arg: dependency`, also with `@` before it; not `name := value`. */
function justRecipe(name: string): ReadsManifest {
  return {
    names: ['justfile', 'Justfile', '.justfile'],
    looksUp: true,
    verdictIn(text) {
      const lines = text.split('\n')
      const isDefined = lines.some(
        (line) => /^@?([\w-]+)(?!\s*:=)[^:\n]*:(?!=)/.exec(line)?.[1] === name || aliasIn(line) === name,
      )
      if (isDefined) return 'holds'
      return lines.some((line) => /^(?:import|mod)\??\s/.test(line)) ? 'cannot-tell' : 'gone'
    },
  }
}

function aliasIn(line: string): string | undefined {
  return /^alias\s+([\w-]+)\s*:=/.exec(line)?.[1]
}

/** A key of a TOML table, or a table of that name below it. */
function tomlTask(table: string, name: string): ReadsManifest {
  return {
    names: ['pyproject.toml'],
    looksUp: true,
    verdictIn(text) {
      let header = ''
      for (const line of text.split('\n').map((one) => one.trim())) {
        header = /^\[([^[\]]+)\]/.exec(line)?.[1]?.trim() ?? header
        if (header === `${table}.${name}` || header === `${table}."${name}"`) return 'holds'
        const key = header === table ? /^"?([\w.:-]+?)"?\s*=/.exec(line)?.[1] : undefined
        if (key === name) return 'holds'
      }
      return 'gone'
    },
  }
}

/** Commands that every project of the kind has. */
function wherever(...names: readonly string[]): ReadsManifest {
  return { names, looksUp: true, verdictIn: () => 'holds' }
}

/** A program of the project's own, run by its path. */
function ownFile(path: string): ScriptName | undefined {
  const isInside = !path.startsWith('/') && !path.startsWith('~') && !path.split('/').includes('..')
  const isProgram = /^(?:\.\/)?[\w@.+-]+(?:\/[\w@.+-]+)*\.(?:sh|bash|mjs|cjs|js|ts|py|rb|pl|php)$/.test(path)
  if (!isInside || !isProgram) return undefined
  return { manifests: [path.replace(/^\.\//, '')], isFile: true, verdictIn: () => 'holds' }
}

const INTERPRETERS: ReadonlySet<string> = new Set([
  'node',
  'python',
  'python3',
  'bash',
  'sh',
  'ruby',
  'perl',
  'php',
  'tsx',
])

/** `a/b`, `a` and the root. */
function foldersUpFrom(folder: string): readonly string[] {
  if (folder === '') return ['']
  const parts = folder.split('/')
  return parts.map((_, index) => `${parts.slice(0, parts.length - index).join('/')}/`).concat('')
}

/** Undefined for a command that no manifest of the worktree defines, or that runs outside of it. */
export function findScriptName(command: string): ScriptName | undefined {
  const folder = getCommandFolder(command)
  if (isScratch(folder)) return undefined
  const bare = folder === '' ? command : stripCommandFolder(command)
  const program = ownProgram(bare)
  if (program !== undefined)
    return folder === '' ? program : { ...program, manifests: program.manifests.map((path) => `${folder}/${path}`) }
  const script = definedIn(bare)
  if (script === undefined) return undefined
  const folders = script.looksUp ? foldersUpFrom(folder) : foldersUpFrom(folder).slice(0, 1)
  return {
    manifests: folders.flatMap((here) => script.names.map((name) => `${here}${name}`)),
    verdictIn: script.verdictIn,
  }
}

function ownProgram(command: string): ScriptName | undefined {
  const [program, first] = command.split(' ')
  if (program?.startsWith('./') === true) return ownFile(program)
  return program !== undefined && INTERPRETERS.has(program) && first !== undefined ? ownFile(first) : undefined
}

const ELSEWHERE =
  /^(?:--prefix|-C|--dir|--cwd|--filter|-w|--workspace|-F|-f|--manifest-path|--project|-p|--directory)(?:=|$)/
const OF_CARGO = /^(?:bench|build|check|clippy|doc|fmt|nextest|run|test)$/
const OF_GO = /^(?:build|generate|test|vet)$/

function isName(word: string | undefined): word is string {
  return word !== undefined && !/^-|=/.test(word)
}

function definedIn(command: string): ReadsManifest | undefined {
  const words = command.split(' ')
  const [program = '', first, second] = words
  if (words.some((word) => ELSEWHERE.test(word))) return undefined
  switch (program) {
    case 'make':
      return isName(first) ? makeTarget(first) : undefined
    case 'just':
      return isName(first) && !first.includes('::') ? justRecipe(first) : undefined
    case 'deno':
      return first === 'task' && isName(second) ? denoTask(second) : undefined
    case 'composer':
      return /^run(?:-script)?$/.test(first ?? '') && isName(second) ? composerScript(second) : undefined
    case 'poe':
      return isName(first) ? tomlTask('tool.poe.tasks', first) : undefined
    case 'cargo':
      return OF_CARGO.test(first ?? '') ? wherever('Cargo.toml') : undefined
    case 'go':
      return OF_GO.test(first ?? '') ? wherever('go.mod', 'go.work') : undefined
    case 'npm':
    case 'pnpm':
    case 'yarn':
    case 'bun':
      return packageScript(program, first, second)
    default:
      return undefined
  }
}

function packageScript(program: string, first: string | undefined, second: string | undefined) {
  if (first === 'run' || first === 'run-script') return isName(second) ? npmScript(second) : undefined
  if (first === 'test' || first === 'start') return program === 'bun' && first === 'test' ? undefined : npmScript(first)
  // `yarn x` may be a script or a binary: its absence from the manifest proves nothing.
  return undefined
}
