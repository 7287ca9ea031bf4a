import { bareOf, folderOf } from '../work/command.ts'
import { isScratch } from '../work/paths.ts'

/** A script that a manifest in the worktree defines. */
export interface ScriptName {
  /** Worktree-relative. */
  readonly manifest: string
  /** The manifest is the program itself: without the file there is nothing to run. */
  readonly isFile?: true
  isDefinedIn(manifestText: string): boolean
}

function memberOf(json: string, key: string): unknown {
  try {
    const parsed: unknown = JSON.parse(json)
    return typeof parsed === 'object' && parsed !== null ? Reflect.get(parsed, key) : undefined
  } catch {
    // Half-written or not JSON: then it defines nothing that could be run.
    return undefined
  }
}

function hasMember(json: string, key: string, name: string): boolean {
  const members = memberOf(json, key)
  return typeof members === 'object' && members !== null && Object.hasOwn(members, name)
}

function npmScript(name: string): ScriptName {
  return {
    manifest: 'package.json',
    isDefinedIn: (text) => hasMember(text, 'scripts', name),
  }
}

function makeTarget(name: string): ScriptName {
  return {
    manifest: 'Makefile',
    isDefinedIn: (text) =>
      text.split('\n').some((line) => {
        const targets = /^([^\s#:=][^:=#]*):(?!=)/.exec(line)?.[1]
        return targets?.split(/\s+/).includes(name) === true
      }),
  }
}

function denoTask(name: string): ScriptName {
  return {
    manifest: 'deno.json',
    isDefinedIn: (text) => hasMember(text, 'tasks', name),
  }
}

function composerScript(name: string): ScriptName {
  return { manifest: 'composer.json', isDefinedIn: (text) => hasMember(text, 'scripts', name) }
}

/** `recipe arg: dependency`, also with `@` before it; not `name := value`. */
function justRecipe(name: string): ScriptName {
  return {
    manifest: 'justfile',
    isDefinedIn: (text) =>
      text
        .split('\n')
        .some((line) => /^@?([\w-]+)(?!\s*:=)[^:\n]*:(?!=)/.exec(line)?.[1] === name || aliasIn(line) === name),
  }
}

function aliasIn(line: string): string | undefined {
  return /^alias\s+([\w-]+)\s*:=/.exec(line)?.[1]
}

/** A program of the project's own, run by its path. */
function ownFile(path: string): ScriptName | undefined {
  const isInside = !path.startsWith('/') && !path.startsWith('~') && !path.split('/').includes('..')
  const isProgram = /^(?:\.\/)?[\w@.+-]+(?:\/[\w@.+-]+)*\.(?:sh|bash|mjs|cjs|js|ts|py|rb|pl|php)$/.test(path)
  if (!isInside || !isProgram) return undefined
  return { manifest: path.replace(/^\.\//, ''), isFile: true, isDefinedIn: () => true }
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

/** Undefined for a command that no manifest of the worktree defines, or that runs outside of it. */
export function scriptNameOf(command: string): ScriptName | undefined {
  const folder = folderOf(command)
  if (folder === '') return scriptAtRoot(command)
  const script = isScratch(folder) ? undefined : scriptAtRoot(bareOf(command))
  return script === undefined ? undefined : { ...script, manifest: `${folder}/${script.manifest}` }
}

function scriptAtRoot(command: string): ScriptName | undefined {
  const words = command.split(' ')
  const [program, first, second] = words
  if (words.some((word) => /^(?:--prefix|-C|--dir|--cwd|--filter|-w|--workspace|-F|-f)(?:=|$)/.test(word)))
    return undefined
  if (program === 'make') return first === undefined || /^-|=/.test(first) ? undefined : makeTarget(first)
  if (program === 'just') return first === undefined || /^-|=/.test(first) ? undefined : justRecipe(first)
  if (program === 'deno')
    return first === 'task' && second !== undefined && !second.startsWith('-') ? denoTask(second) : undefined
  if (program === 'composer')
    return /^run(?:-script)?$/.test(first ?? '') && second !== undefined && !second.startsWith('-')
      ? composerScript(second)
      : undefined
  if (program?.startsWith('./') === true) return ownFile(program)
  if (program !== undefined && INTERPRETERS.has(program)) return first === undefined ? undefined : ownFile(first)
  if (program !== 'npm' && program !== 'pnpm' && program !== 'yarn' && program !== 'bun') return undefined
  if (first === 'run' || first === 'run-script')
    return second === undefined || second.startsWith('-') ? undefined : npmScript(second)
  if (first === 'test' || first === 'start') return program === 'bun' && first === 'test' ? undefined : npmScript(first)
  // `yarn x` may be a script or a binary: its absence from the manifest proves nothing.
  return undefined
}
