import { existsSync } from 'node:fs'
import { join } from 'node:path'

export interface LauncherCommandOptions {
  readonly harness: string
  readonly hook: string
  /** Where launcher.sh and hook.cjs lie. */
  readonly distDir: string
  /** Set in the environment of whoever installs: the home is then written into the command. */
  readonly holdfastHome?: string
  /** The variable in which the harness tells hooks its own pid, such as CLAUDE_PID. */
  readonly pidVariable?: string
  readonly nodePath: string
  readonly platform?: NodeJS.Platform
  /** Which shells there are; asked of the disk unless told. */
  readonly exists?: (path: string) => boolean
}

/** One word for a POSIX shell, whatever is in it. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

const SHELLS = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash', '/run/current-system/sw/bin/bash', '/bin/sh']
/** macOS keeps bash 3.2 in /bin, which the launcher treats like any other shell; a newer one is somebody's own. */
const SHELLS_DARWIN = ['/opt/homebrew/bin/bash', '/usr/local/bin/bash', '/bin/sh']

/**
 * The command line that a harness runs in `sh -c`. bash first, because it needs no other program. Ends in `|| :`, so that a Holdfast that was removed without `holdfast uninstall` is silence
 * and not an error at every prompt.
 */
export function launcherCommand(options: LauncherCommandOptions): string {
  if ((options.platform ?? process.platform) === 'win32') return nodeHookCommand(options)
  const exists = options.exists ?? existsSync
  const shells = (options.platform ?? process.platform) === 'darwin' ? SHELLS_DARWIN : SHELLS
  const shell = shells.find((path) => exists(path)) ?? '/bin/sh'
  const words = [
    ...(options.holdfastHome === undefined ? [] : [`HOLDFAST_HOME=${shellWord(options.holdfastHome)}`]),
    ...(options.pidVariable === undefined ? [] : [`HOLDFAST_PID=$${options.pidVariable}`]),
    `HOLDFAST_NODE=${shellWord(options.nodePath)}`,
    shell,
    shellWord(join(options.distDir, 'launcher.sh')),
    shellWord(options.harness),
    shellWord(options.hook),
  ]
  return `${words.join(' ')} || :`
}

/** The same without a launcher: what Windows runs. */
export function nodeHookCommand({ harness, hook, distDir, nodePath }: LauncherCommandOptions): string {
  const quoted = (text: string) => `"${text.replaceAll('"', '')}"`
  return [quoted(nodePath), quoted(join(distDir, 'hook.cjs')), harness, hook].join(' ')
}
