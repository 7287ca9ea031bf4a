// bench: makes src/redaction/text/letter-odds.ts, what letters cost behind others, from the words of assets/word-table.bin
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { decodeWordTable } from '../src/memory/recall/embeddings.ts'
import { FIRST_CHAR, STEP_BITS } from '../src/redaction/text/letter-odds.ts'
import { benchArguments } from './arguments.ts'
import { abbreviations, letterCosts } from './build-letter-table/letter-costs.ts'

const { values } = benchArguments({
  options: { out: { type: 'string', default: 'src/redaction/text/letter-odds.ts' } },
})

const MOST_STEPS = 7
const LINES = 27
/** Pairs of steps: 27 letters before by 26 letters, two to a character. */
const LINE_CHARS = (27 * 26) / 2

const root = process.env['HOLDFAST_ROOT'] ?? process.cwd()
const table = decodeWordTable(readFileSync(join(root, 'assets/word-table.bin')))
if (table === undefined) throw new Error('assets/word-table.bin is not a word table')
const words = table.words.split(' ').filter((term) => /^[a-z]{2,}$/.test(term))
const steps = letterCosts([...words, ...abbreviations]).map((cost) =>
  Math.min(MOST_STEPS, Math.round(cost / STEP_BITS)),
)
const chars = Array.from({ length: LINES * LINE_CHARS }, (_, index) =>
  String.fromCharCode(FIRST_CHAR + (steps[2 * index] ?? 0) * 8 + (steps[2 * index + 1] ?? 0)),
).join('')
const lines = Array.from({ length: LINES }, (_, line) => chars.slice(line * LINE_CHARS, (line + 1) * LINE_CHARS))
// A backslash is one of the characters.
const written = lines.map((line) => `  '${line.replaceAll('\\', '\\\\')}',`).join('\n')
writeFileSync(
  join(root, values.out),
  `/**
 * How unlikely each letter is behind each two others in English and in code, in eight steps. Made by
 * bench/build-letter-table from the words of assets/word-table.bin and a list of abbreviations.
 */
export const letterTable: readonly string[] = [
${written}
]
`,
)
console.log(
  `${words.length} words and ${abbreviations.length} abbreviations: ${chars.length} characters in ${values.out}`,
)
