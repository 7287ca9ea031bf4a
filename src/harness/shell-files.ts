import type { FileTouch } from '../core/event.ts'
import { boundedPath } from './bounds.ts'

const READERS = new Set(['cat', 'head', 'tail', 'nl', 'less', 'more', 'bat'])
const FILE_LIKE = /^[^\s;|&<>$`*?(){}[\]'"]*\.\w{1,8}$/
const MAX_COMMAND_CHARS = 2_000

function unquoted(word: string): string {
  return word.replace(/^(['"])(.*)\1$/, '$2')
}

function filesOf(words: readonly string[]): readonly string[] {
  const [program = '', ...args] = words
  const isReader = READERS.has(program) || (program === 'sed' && args.includes('-n'))
  return isReader ? args.map(unquoted).filter((word) => !word.startsWith('-') && FILE_LIKE.test(word)) : []
}

/** Files that a command line plainly prints (`cat a.ts`, `sed -n '1,9p' b.ts`): agents without a read tool read this way. */
export function filesReadByCommand(command: string): readonly FileTouch[] {
  const paths = command
    .slice(0, MAX_COMMAND_CHARS)
    .split(/[;&|\n]+/)
    .flatMap((part) => filesOf(part.trim().split(/\s+/)))
  return [...new Set(paths)].flatMap((path) => {
    const whole = boundedPath(path)
    return whole === undefined ? [] : [{ path: whole, action: 'read' as const }]
  })
}
