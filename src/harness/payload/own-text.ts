const OPENING = /^\[holdfast [0-9a-f]{8,64}: /
const CLOSING = /^\[\/holdfast [0-9a-f]{8,64}\]/
const MARK = '| '

/**
 * The text without anything Holdfast put before an agent: what we said must never come back as somebody's words.
 * A block is its fence, the marked lines inside and the heading above; one that was cut off ends with its last marked line.
 */
export function withoutOwnText(text: string): string {
  if (!text.includes('[holdfast ')) return text
  const kept: string[] = []
  let isInside = false
  for (const line of text.split('\n')) {
    if (OPENING.test(line)) {
      if (kept.at(-1)?.includes('## ') === true) kept.pop()
      isInside = true
    } else if (isInside && CLOSING.test(line)) {
      isInside = false
      const after = line.replace(CLOSING, '')
      if (after.trim() !== '') kept.push(after)
    } else if (!isInside || !line.startsWith(MARK)) {
      isInside = false
      kept.push(line)
    }
  }
  return kept.join('\n')
}
