/** A script that a manifest in the worktree defines. */
export interface ScriptName {
  /** Worktree-relative. */
  readonly manifest: string
  isDefinedIn(manifestText: string): boolean
}

function scriptsOf(packageJson: string): unknown {
  try {
    const parsed: unknown = JSON.parse(packageJson)
    return typeof parsed === 'object' && parsed !== null && 'scripts' in parsed ? parsed.scripts : undefined
  } catch {
    // Half-written or not JSON: then it defines nothing that could be run.
    return undefined
  }
}

function npmScript(name: string): ScriptName {
  return {
    manifest: 'package.json',
    isDefinedIn(text) {
      const scripts = scriptsOf(text)
      return typeof scripts === 'object' && scripts !== null && Object.hasOwn(scripts, name)
    },
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

/** Undefined for a command that no manifest of the worktree defines, or that runs in another folder. */
export function scriptNameOf(command: string): ScriptName | undefined {
  const words = command.split(' ')
  const [program, first, second] = words
  if (words.some((word) => /^(?:--prefix|-C|--dir|--cwd|--filter|-w|--workspace|-F|-f)(?:=|$)/.test(word)))
    return undefined
  if (program === 'make') return first === undefined || /^-|=/.test(first) ? undefined : makeTarget(first)
  if (program !== 'npm' && program !== 'pnpm' && program !== 'yarn' && program !== 'bun') return undefined
  if (first === 'run' || first === 'run-script')
    return second === undefined || second.startsWith('-') ? undefined : npmScript(second)
  if (first === 'test' || first === 'start') return program === 'bun' && first === 'test' ? undefined : npmScript(first)
  // `yarn x` may be a script or a binary: its absence from the manifest proves nothing.
  return undefined
}
