import { readFileSync } from 'node:fs'

/** One system call that succeeded. `begin` and `end` are the lines of the trace where it was entered and where it returned. */
export interface TracedCall {
  readonly begin: number
  readonly end: number
  readonly pid: string
  readonly name: string
  /** As strace prints them, with `-xx -y`: strings and the paths of descriptors in hex. */
  readonly args: string
  readonly result: string
}

const HEX_PAIR = /\\x/g

/** What strace prints as `"\x61\x62"`. */
export function bytesOf(text: string): Buffer {
  if (text.endsWith('...')) throw new Error('strace cut the data of a call short')
  return Buffer.from(text.slice(text.indexOf('"') + 1, text.lastIndexOf('"')).replace(HEX_PAIR, ''), 'hex')
}

/** What strace prints as `5<\x2f\x61>`; undefined for a file without a name any more. */
export function descriptorPath(text: string): string | undefined {
  const found = /<((?:\\x[0-9a-f]{2})*)>/.exec(text)
  if (found?.[1] === undefined || text.includes('(deleted)')) return undefined
  return Buffer.from(found[1].replace(HEX_PAIR, ''), 'hex').toString('utf8')
}

/** Commas inside `[…]` and `{…}` do not separate arguments; those inside strings are in hex. */
export function splitArguments(args: string): readonly string[] {
  const parts: string[] = []
  let depth = 0
  let start = 0
  for (const { 0: mark, index } of args.matchAll(/[[\]{},]/g)) {
    if (mark === '[' || mark === '{') depth += 1
    else if (mark === ']' || mark === '}') depth -= 1
    else if (depth === 0) {
      parts.push(args.slice(start, index).trim())
      start = index + 1
    }
  }
  parts.push(args.slice(start).trim())
  return parts
}

const UNFINISHED = ' <unfinished ...>'
const RESUMED = /^<\.\.\. (\w+) resumed>/

interface Entered {
  readonly begin: number
  readonly text: string
}

function parseWhole(pid: string, begin: number, end: number, text: string): TracedCall | undefined {
  const open = text.indexOf('(')
  const equals = text.lastIndexOf(' = ')
  if (open <= 0 || equals < 0) return undefined
  const close = text.lastIndexOf(')', equals)
  const result = text.slice(equals + 3)
  // Failed, or unknown because the process ended in it.
  if (result.startsWith('-1') || result.startsWith('?')) return undefined
  return { begin, end, pid, name: text.slice(0, open), args: text.slice(open + 1, close), result }
}

/** Calls in the order in which they returned. */
export function* readTrace(file: string): Generator<TracedCall> {
  const trace = readFileSync(file)
  const entered = new Map<string, Entered>()
  let line = 0
  for (let start = 0; start < trace.length; ) {
    const newline = trace.indexOf(10, start)
    const stop = newline < 0 ? trace.length : newline
    const whole = trace.toString('latin1', start, stop)
    start = stop + 1
    line += 1
    const space = whole.indexOf(' ')
    const pid = whole.slice(0, space)
    const text = whole.slice(space).trimStart()
    if (text.startsWith('+++') || text.startsWith('---')) continue
    if (text.endsWith(UNFINISHED)) {
      entered.set(pid, { begin: line, text: text.slice(0, -UNFINISHED.length) })
      continue
    }
    const resumed = RESUMED.exec(text)
    const before = resumed === null ? undefined : entered.get(pid)
    const call =
      resumed === null
        ? parseWhole(pid, line, line, text)
        : parseWhole(pid, before?.begin ?? line, line, `${before?.text ?? ''}${text.slice(resumed[0].length)}`)
    entered.delete(pid)
    if (call !== undefined) yield call
  }
}
