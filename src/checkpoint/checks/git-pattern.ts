/** Options before git's own command; exactly one way to read them, so that a long line of them is read in one pass. */
const OPTIONS = String.raw`(?:-(?:[cC]|-(?:git-dir|work-tree|namespace)) \S+ |-(?!(?:[cC]|-(?:git-dir|work-tree|namespace)) )\S+ )*`

/** A pattern of a git command, whatever options stand before it: `git -C x --no-pager commit`. */
export function gitPattern(command: string, flags = ''): RegExp {
  return new RegExp(`^git ${OPTIONS}${command}`, flags)
}
