import { join } from 'node:path'
import { shellWord } from '../../kernel/shell/shell-word.ts'

export interface LauncherCommandOptions {
  readonly harness: string
  readonly hook: string
  /** Where launcher.sh and hook.cjs lie. */
  readonly distDir: string
  /** Set when the home is not where hooks would look by themselves. */
  readonly holdfastHome?: string
  /** The variable in which the harness tells hooks its own pid, such as CLAUDE_PID. */
  readonly pidVariable?: string
  readonly nodePath: string
  readonly platform: NodeJS.Platform
  /** Asked which shells there are. */
  readonly exists: (path: string) => boolean
}

const SHELLS = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash', '/run/current-system/sw/bin/bash']
/** macOS keeps bash 3.2 in /bin, which the launcher treats like any other shell; a newer one is somebody's own. */
const SHELLS_DARWIN = ['/opt/homebrew/bin/bash', '/usr/local/bin/bash']

/**
 * The command line that a harness runs in `sh -c`: bash where there is one, because then no other program is needed.
 * It ends in `|| :`, so that a Holdfast removed without `holdfast uninstall` is silence and not an error at every prompt.
 */
export function launcherCommand(options: LauncherCommandOptions): string {
  const { harness, hook, distDir, nodePath, platform } = options
  if (platform === 'win32') {
    const quoted = (text: string) => `"${text.replaceAll('"', '')}"`
    return [quoted(nodePath), quoted(join(distDir, 'hook.cjs')), harness, hook].join(' ')
  }
  const bash = (platform === 'darwin' ? SHELLS_DARWIN : SHELLS).find((path) => options.exists(path))
  const words = [
    ...(options.holdfastHome === undefined ? [] : [`HOLDFAST_HOME=${shellWord(options.holdfastHome)}`]),
    ...(options.pidVariable === undefined ? [] : [`HOLDFAST_PID=$${options.pidVariable}`]),
    `HOLDFAST_NODE=${shellWord(nodePath)}`,
    // -p: what somebody's BASH_ENV prints must not reach the agent, nor functions of theirs replace what the launcher calls.
    ...(bash === undefined ? ['/bin/sh'] : [bash, '-p']),
    shellWord(join(distDir, 'launcher.sh')),
    harness,
    hook,
  ]
  return `${words.join(' ')} || :`
}

/** `HOLDFAST_NODE=` is our mark: other tools have a launcher.sh or a hook.cjs that is told the harness, too. */
const COMMAND = /(?:^| )HOLDFAST_NODE=.*\/launcher\.sh'? ([\w-]+) ([\w.-]+)(?: \|\| :)?\s*$/s
/** On Windows there is no way to set a variable in front of a command: both programs quoted, and nothing else, is the mark. */
const COMMAND_WIN32 = /^"[^"]+" "[^"]*[\\/]hook\.cjs" ([\w-]+) ([\w.-]+)\s*$/
const HOOK_WORD = / [\w.-]+( \|\| :)?\s*$/

/** The harness that a command line of ours is for; undefined for anybody else's. */
export function harnessOfCommand(command: string): string | undefined {
  return (COMMAND.exec(command) ?? COMMAND_WIN32.exec(command))?.[1]
}

/** The hook that a command line of ours tells of. */
export function hookOfCommand(command: string): string | undefined {
  return (COMMAND.exec(command) ?? COMMAND_WIN32.exec(command))?.[2]
}

const HOME_WORD = /^HOLDFAST_HOME=(?:'((?:[^']|'\\'')*)'|(\S*)) /

/** The home that a command line of ours names; undefined where it leaves that to the environment. */
export function homeOfCommand(command: string): string | undefined {
  const [, quoted, bare] = HOME_WORD.exec(command) ?? []
  return quoted?.replaceAll(`'\\''`, "'") ?? bare
}

/** The same command line for another hook. */
export function withHook(command: string, hook: string): string {
  return command.replace(HOOK_WORD, (_all, end: string | undefined) => ` ${hook}${end ?? ''}`)
}
