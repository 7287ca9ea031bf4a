const CONTEXT_LINES = 3
const MAX_TABLE_CELLS = 4_000_000

interface DiffLine {
  readonly sign: ' ' | '-' | '+'
  readonly text: string
}

/** Lines with their ends; a last one without an end is told apart. */
function linesOf(text: string): readonly string[] {
  if (text === '') return []
  return text.split(/(?<=\n)/)
}

/** Longest common subsequence of the lines between what both texts begin and end with. */
function diffMiddle(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  if (before.length * after.length > MAX_TABLE_CELLS)
    return [
      ...before.map((text) => ({ sign: '-' as const, text })),
      ...after.map((text) => ({ sign: '+' as const, text })),
    ]
  const width = after.length + 1
  const common = new Uint32Array((before.length + 1) * width)
  const at = (row: number, column: number) => common[row * width + column] ?? 0
  for (let row = before.length - 1; row >= 0; row -= 1)
    for (let column = after.length - 1; column >= 0; column -= 1)
      common[row * width + column] =
        before[row] === after[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1))
  const lines: DiffLine[] = []
  let row = 0
  let column = 0
  while (row < before.length || column < after.length) {
    const old = before[row]
    const fresh = after[column]
    if (old !== undefined && old === fresh) {
      lines.push({ sign: ' ', text: old })
      row += 1
      column += 1
    } else if (old !== undefined && (fresh === undefined || at(row + 1, column) >= at(row, column + 1))) {
      lines.push({ sign: '-', text: old })
      row += 1
    } else if (fresh !== undefined) {
      lines.push({ sign: '+', text: fresh })
      column += 1
    }
  }
  return lines
}

function diffLines(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start += 1
  let end = 0
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1
  const same = (texts: readonly string[]) => texts.map((text) => ({ sign: ' ' as const, text }))
  return [
    ...same(before.slice(0, start)),
    ...diffMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...same(before.slice(before.length - end)),
  ]
}

function shown({ sign, text }: DiffLine): string {
  return text.endsWith('\n') ? `${sign}${text}` : `${sign}${text}\n\\ No newline at end of file\n`
}

/** What `diff -u` would print; undefined stands for a file that is not there. Empty when nothing differs. */
export function unifiedDiff(path: string, before: string | undefined, after: string | undefined): string {
  const lines = diffLines(linesOf(before ?? ''), linesOf(after ?? ''))
  const near = lines.map((_, index) =>
    lines.slice(Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1).some((line) => line.sign !== ' '),
  )
  let oldLine = 1
  let newLine = 1
  const hunks: string[] = []
  for (let index = 0; index < lines.length; ) {
    let end = index
    while (end < lines.length && near[end] === near[index]) end += 1
    const part = lines.slice(index, end)
    const oldCount = part.filter((line) => line.sign !== '+').length
    const newCount = part.filter((line) => line.sign !== '-').length
    const range = (from: number, count: number) => `${count === 0 ? from - 1 : from},${count}`
    if (near[index] === true)
      hunks.push(`@@ -${range(oldLine, oldCount)} +${range(newLine, newCount)} @@\n${part.map(shown).join('')}`)
    oldLine += oldCount
    newLine += newCount
    index = end
  }
  if (hunks.length === 0) return ''
  const name = (text: string | undefined) => (text === undefined ? '/dev/null' : path)
  return `--- ${name(before)}\n+++ ${name(after)}\n${hunks.join('')}`
}
