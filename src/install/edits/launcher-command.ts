import { join } from 'node:path'
import { quoteShellWord } from '../../kernel/shell/command-line.ts'

export interface LauncherCommandOptions {
  readonly harness: string
  readonly hook: string
  /** The folder with launcher.sh and hook.cjs. */
  readonly distDir: string
  /** Set when the home is not the default one. */
  readonly holdfastHome?: string
  /** The variable in which the harness gives hooks its pid, such as CLAUDE_PID. */
  readonly pidVariable?: string
  readonly nodePath: string
  readonly platform: NodeJS.Platform
  /** The shells that exist. */
  readonly exists: (path: string) => boolean
}

const SHELLS = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash', '/run/current-system/sw/bin/bash']
/** macOS has bash 3.2 in /bin, which the launcher treats like any other shell; the user may have installed a newer one. */
const SHELLS_DARWIN = ['/opt/homebrew/bin/bash', '/usr/local/bin/bash']

/**
 * The command line that a harness runs in `sh -c`: with bash where there is one, because then no other program is
 * needed. It ends in `2>/dev/null || :`, so that removing Holdfast without `holdfast uninstall` causes neither an error nor a
 * line of the shell at every prompt.
 */
export function launcherCommand(options: LauncherCommandOptions): string {
  const { harness, hook, distDir, nodePath, platform } = options
  if (platform === 'win32') {
    const quoted = (text: string) => `"${text.replaceAll('"', '')}"`
    return [quoted(nodePath), quoted(join(distDir, 'hook.cjs')), harness, hook].join(' ')
  }
  const bash = (platform === 'darwin' ? SHELLS_DARWIN : SHELLS).find((path) => options.exists(path))
  const words = [
    ...(options.holdfastHome === undefined ? [] : [`HOLDFAST_HOME=${quoteShellWord(options.holdfastHome)}`]),
    ...(options.pidVariable === undefined ? [] : [`HOLDFAST_PID=$${options.pidVariable}`]),
    `HOLDFAST_NODE=${quoteShellWord(nodePath)}`,
    // -p: output of the user's BASH_ENV must not reach the agent, and the user's functions must not replace the launcher's programs.
    ...(bash === undefined ? ['/bin/sh'] : [bash, '-p']),
    quoteShellWord(join(distDir, 'launcher.sh')),
    harness,
    hook,
  ]
  return `${words.join(' ')} 2>/dev/null || :`
}

/** `HOLDFAST_NODE=` identifies our commands: other tools also have a launcher.sh or hook.cjs with a harness argument. */
const COMMAND = /(?:^| )HOLDFAST_NODE=.*\/launcher\.sh'? ([\w-]+) ([\w.-]+)(?: 2>\/dev\/null)?(?: \|\| :)?\s*$/s
/** Windows cannot set a variable before a command: two quoted programs and nothing else identify our commands. */
const COMMAND_WIN32 = /^"[^"]+" "[^"]*[\\/]hook\.cjs" ([\w-]+) ([\w.-]+)\s*$/
const HOOK_WORD = / [\w.-]+((?: 2>\/dev\/null)? \|\| :)?\s*$/

/** The harness of one of our command lines; undefined for any other. */
export function findHarnessInCommand(command: string): string | undefined {
  return (COMMAND.exec(command) ?? COMMAND_WIN32.exec(command))?.[1]
}

/** The hook of one of our command lines. */
export function findHookInCommand(command: string): string | undefined {
  return (COMMAND.exec(command) ?? COMMAND_WIN32.exec(command))?.[2]
}

const HOME_WORD = /^HOLDFAST_HOME=(?:'((?:[^']|'\\'')*)'|(\S*)) /

/** The home in one of our command lines; undefined where it is left to the environment. */
export function findHomeInCommand(command: string): string | undefined {
  const [, quoted, bare] = HOME_WORD.exec(command) ?? []
  return quoted?.replaceAll(`'\\''`, "'") ?? bare
}

/** The same command line for another hook. */
export function withHook(command: string, hook: string): string {
  return command.replace(HOOK_WORD, (_all, end: string | undefined) => ` ${hook}${end ?? ''}`)
}
