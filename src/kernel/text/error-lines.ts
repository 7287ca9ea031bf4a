import { clip, oneLine, withoutAnsi } from './text.ts'

const MAX_SCANNED = 8_000
const MAX_LINE = 400
const SAYS_ERROR =
  /\b[A-Z]\w*(?:Error|Exception)\b|\b(?:error|fatal|panic)\b(?:\[\w+\])?\s?(?::|TS\d)|^(?:error|fatal|panic|traceback|assertion)\b|\bFAIL(?:ED|URE)?\b|\b(?:undefined|cannot find|could not|not found|no such file|permission denied|connection refused|is not defined|is not a function|unexpected|unresolved|mismatch|segmentation fault|exited with|timed out)\b|\(\w*(?:err|lint|unused|unparam|revive|staticcheck)\w*\)$/i
/** Stack frames, counts, task runners that only pass on a failure, pictures of one, and lines of code that happen to speak of errors. */
const NOISE =
  /ERROR task failed$|\.(?:png|webm|zip)$|^\W*(?:(?:Tests?|Test Files|Test Suites|Snapshots):?\s+\d+ (?:failed|passed|skipped|total)\b|test result: |FAILED \((?:failures|errors)=|\d+ (?:failed|passed|failing|passing)\b|0 (?:errors?|failed)\b|errors?: ?0\b|no errors?\b|at |from |File "|\d+ (?:errors?|warnings?) generated|npm (?:ERR!|error) (?:A complete log|code|errno|path|command|node|syscall))|Found 0 errors|^exit status \d+$|[{;(]$|^(?:\d+[-:\s]+)?\s*(?:(?:func|const|let|var|if|return|import|export|def|class|type|fn|pub|for)\b|\/\/|\/\*|\*)/

export interface ErrorLine {
  readonly text: string
  readonly signature: string
}

/** What makes two errors the same: no folders, numbers, addresses, times or quoted values. */
export function signatureOf(text: string): string {
  return oneLine(text.slice(0, MAX_LINE))
    .replace(/[^\s'"`(]*\//g, '')
    .replace(/0x[0-9a-fA-F]+|\b[0-9a-f]{7,40}\b/g, '#')
    .replace(/\d+(?:[.:,]\d+)*(?:ms|s)?/g, '#')
    .slice(0, 160)
    .toWellFormed()
    .toLowerCase()
}

/** Two folders tell a file from its namesakes; the rest of a long path is room that the message needs. */
function withShortPaths(line: string): string {
  return line.replace(/(?<![\w.@~+/-])\/?(?:[\w.@~+-]+\/){2,}(?=[\w.@~+-]+\/[\w.@~+-])/g, '')
}

/** The lines of an output that say what went wrong, first come first, each signature once. */
export function errorLinesIn(output: string, limit: number): readonly ErrorLine[] {
  const found = new Map<string, ErrorLine>()
  const text = withoutAnsi(output)
  const scanned =
    text.length <= MAX_SCANNED ? text : `${text.slice(0, MAX_SCANNED / 2)}\n${text.slice(-MAX_SCANNED / 2)}`
  for (const raw of scanned.split('\n')) {
    const line = raw.slice(0, MAX_LINE).trim()
    if (line.length < 8 || NOISE.test(line) || !SAYS_ERROR.test(line)) continue
    const signature = signatureOf(line)
    if (signature.length >= 8 && !found.has(signature))
      found.set(signature, { text: clip(withShortPaths(line), 200), signature })
    if (found.size >= limit) break
  }
  return [...found.values()]
}
