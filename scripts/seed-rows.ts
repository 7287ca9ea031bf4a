import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = 'test/seeds'

// The rows of a document are numbered in its order; `rows` is how many there are.
const DOCUMENTS = [
  { prefix: 'S1.1.', title: 'S1: Session Continuity Protocol (Signet)', rows: 60 },
  { prefix: 'S1.2.', title: 'S1: session notes on the protocol', rows: 10 },
  { prefix: 'S1.3.', title: 'S1: what its first implementation lacked', rows: 10 },
  { prefix: 'S2.', title: 'S2: Session Continuity Protocol (agentic governance)', rows: 62 },
  { prefix: 'S3.4.', title: 'S3: Session Continuity, the checkpoint skill', rows: 37 },
  { prefix: 'S4.', title: 'S4: session-continuity-mcp', rows: 50 },
] as const

interface SeedRow {
  readonly id: string
  readonly requirement: string
  /** Why it is deliberately different; undefined for a row that works as its document says. */
  readonly reason?: string
  readonly file: string
}

// A call of test or test.each(…), with its name on the same line or the next.
const NAMED_TEST =
  /\btest(\.\w+)?(?:\([^]*?\))??\(\s*(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/g
const ROW_NAME = /^(S[1-4]\.\d+(?:\.\d+)?) (?:(different): )?(.+)$/

function readRows(file: string, text: string): readonly SeedRow[] {
  return [...text.matchAll(NAMED_TEST)].flatMap(([, modifier, ...names]) => {
    const named = ROW_NAME.exec((names.find((name) => name !== undefined) ?? '').replaceAll(/\\(.)/g, '$1'))
    if (named === null) return []
    const [, id = '', isDifferent, words = ''] = named
    if (modifier !== undefined && modifier !== '.each')
      throw new Error(`${file}: the test of ${id} is test${modifier}.`)
    if (isDifferent === undefined) return [{ id, requirement: words, file }]
    const [requirement = '', ...reason] = words.split(': ')
    if (reason.length === 0) throw new Error(`${file}: ${id} is different without a reason.`)
    return [{ id, requirement, reason: reason.join(': '), file }]
  })
}

function renderDocument(
  { prefix, title, rows }: (typeof DOCUMENTS)[number],
  known: ReadonlyMap<string, SeedRow>,
): string {
  const lines = Array.from({ length: rows }, (_, index) => {
    const row = known.get(`${prefix}${index + 1}`)
    if (row === undefined) return `| ${prefix}${index + 1} | | no test yet | |`
    const state = row.reason === undefined ? 'works' : `different: ${row.reason}`
    return `| ${row.id} | ${row.requirement} | ${state} | \`${row.file}\` |`
  })
  return `## ${title}\n\n| row | requirement | state | test |\n|---|---|---|---|\n${lines.join('\n')}\n`
}

/** docs/reference/seeds.md: each row of the documents that the product was made from, by the name of its test. */
export function seedsPage(root: string): string {
  const files = readdirSync(join(root, FOLDER)).filter((name) => name.endsWith('.test.ts'))
  const known = new Map<string, SeedRow>()
  for (const name of files.toSorted()) {
    const file = `${FOLDER}/${name}`
    for (const row of readRows(file, readFileSync(join(root, file), 'utf8'))) {
      if (known.has(row.id)) throw new Error(`${file}: ${row.id} has a test already, in ${known.get(row.id)?.file}.`)
      if (
        !DOCUMENTS.some(({ prefix, rows }) => Number(row.id.slice(prefix.length)) <= rows && row.id.startsWith(prefix))
      )
        throw new Error(`${file}: no document has the row ${row.id}.`)
      known.set(row.id, row)
    }
  }
  const different = [...known.values()].filter(({ reason }) => reason !== undefined).length
  return `# The founding documents, row by row

Holdfast was made from five documents. Each of their requirements is a row here, with one test of the same name in \`${FOLDER}/\` that drives the built product. A row whose test fails stops \`npm run check\`. ${known.size} rows have a test: ${known.size - different} work as written, ${different} are deliberately different, with the reason beside them; their tests assert what Holdfast does instead.

${DOCUMENTS.map((document) => renderDocument(document, known)).join('\n')}`
}
