import { HoldfastError } from '../errors.ts'

/** Quotes a word for a POSIX shell, so that commands in messages can be pasted. */
export function quoteShellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

const SHELL_ONLY = /[|&;<>()$`*?[\]#~!{}]/
const SHELL_IN_QUOTES = /[$`]/

/**
 * A configured command as an argument list. Words and quoted words; anything that needs a shell is refused, because there is
 * none. A list is returned as it is.
 */
export function splitArguments(command: string | readonly string[]): readonly string[] {
  if (typeof command !== 'string') return command
  const words: string[] = []
  const pattern = /\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|((?:[^\s"'\\]|\\.)+))/gy
  let at = 0
  for (const match of command.matchAll(pattern)) {
    const [whole, double, single, bare] = match
    const glued = at > 0 && !/^\s/.test(whole)
    if (SHELL_ONLY.test(bare ?? '') || SHELL_IN_QUOTES.test(double ?? ''))
      throw needsShell(command, bare ?? double ?? '')
    const word = single ?? (double ?? bare ?? '').replace(/\\(.)/g, '$1')
    if (glued) words.push((words.pop() ?? '') + word)
    else words.push(word)
    at = match.index + whole.length
  }
  if (command.slice(at).trim() !== '' || words.length === 0) throw needsShell(command, command.slice(at))
  return words
}

function needsShell(command: string, part: string): HoldfastError {
  return new HoldfastError(
    'invalid-input',
    `The command ${JSON.stringify(command.slice(0, 200))} needs a shell for ${JSON.stringify(part.slice(0, 40))}, and it is run without one.`,
    { hint: 'Give it as a list of arguments, or put it in a script and name that.' },
  )
}
