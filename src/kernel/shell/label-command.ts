import { clip, cutUnits, oneLine, withoutFolders } from '../text/text.ts'
import { getCommandFolder, splitQuotedWords, stripCommandFolder, withCommandFolder } from './command.ts'

/** They change how a command runs or prints, not what it is about. */
const SAYS_LITTLE =
  /^(?:-race|-sS|-sSL|--verbose|--quiet|--silent|--no-color|--color|-count=\d+|--?timeout=\S+|--(?:reporter|color|tb|maxfail|max-workers|retries)=\S+|\d?>&\d|2>\/dev\/null)$/
/** For these programs `-v`, `-q` and `-s` mean how much is printed; for others they may be what the command is about. */
const RUNNER = /^(?:go|npm|pnpm|yarn|npx|bun|cargo|pytest|python3?|mvnw?|gradlew?|make|just|mise)$/
const VERBOSITY = /^-(?:v+|q+|s)$/
const JOINS = /^(?:\||&&|\|\||;|&)$/
const ADDRESS = /^["']?https?:/
const LEAST_WORD = 24
const GAP = '…'

function cutMiddle(text: string, maxChars: number): string {
  const room = Math.max(1, maxChars)
  const tail = Math.floor((room - 1) * 0.4)
  return text.length <= maxChars
    ? text
    : `${cutUnits(text, room - 1 - tail)}${GAP}${text.slice(text.length - tail)}`.toWellFormed()
}

/** The end of a name distinguishes it too; a text in quotes begins with what it is about. */
function cutWord(word: string, maxChars: number): string {
  return /\s/.test(word) ? clip(word, maxChars) : cutMiddle(word, maxChars)
}

function measure(words: readonly string[]): number {
  return words.reduce((sum, word) => sum + word.length + 1, -1)
}

/** Without the commands at the end that the others are piped or chained to; a change of folder is not a command. */
function withoutLastCommands(words: readonly string[], maxChars: number): readonly string[] {
  let left = words
  while (measure(left) > maxChars) {
    const join = left.findLastIndex((word) => JOINS.test(word))
    if (join < 1 || (left[0] === 'cd' && left.findIndex((word) => JOINS.test(word)) === join)) break
    left = [...left.slice(0, join), GAP]
  }
  return left
}

function withShortWords(words: readonly string[], maxChars: number): readonly string[] {
  let left = words
  // An address last: it is what the command is about.
  for (const isTurn of [(word: string) => !ADDRESS.test(word), () => true]) {
    while (measure(left) > maxChars) {
      const longest = Math.max(0, ...left.filter(isTurn).map((word) => word.length))
      if (longest <= LEAST_WORD) break
      const room = Math.max(LEAST_WORD, longest - (measure(left) - maxChars))
      const at = left.findIndex((word) => isTurn(word) && word.length === longest)
      left = left.with(at, cutWord(left[at] ?? '', room))
    }
  }
  return left
}

/** The command in so many characters: cut, with marks, where it says least of what it is about. */
export function labelCommand(command: string, maxChars: number): string {
  const line = oneLine(command)
  if (line.length <= maxChars) return line
  const folder = getCommandFolder(line)
  if (folder !== '') {
    const short = withoutFolders(folder)
    return withCommandFolder(
      short,
      labelCommand(stripCommandFolder(line), Math.max(LEAST_WORD, maxChars - withCommandFolder(short, '').length)),
    )
  }
  const quoted = splitQuotedWords(line)
  // A quote that is not closed would be lost.
  const words = quoted.join(' ') === line ? quoted : line.split(' ')
  const isRunner = RUNNER.test(words[0] ?? '')
  const telling = words.filter((word) => !SAYS_LITTLE.test(word) && !(isRunner && VERBOSITY.test(word)))
  const plain =
    measure(telling) <= maxChars ? telling : telling.map((word) => (ADDRESS.test(word) ? word : withoutFolders(word)))
  return cutMiddle(withShortWords(withoutLastCommands(plain, maxChars), maxChars).join(' '), maxChars)
}
