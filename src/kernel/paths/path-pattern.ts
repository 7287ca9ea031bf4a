/** Whether two patterns of one segment can match the same text: `*` any run, `?` any one character. */
function segmentsMeet(a: string, b: string): boolean {
  const width = b.length + 1
  const reachable = new Uint8Array((a.length + 1) * width)
  const at = (i: number, j: number) => i * width + j
  reachable[0] = 1
  for (let i = 0; i <= a.length; i += 1) {
    for (let j = 0; j <= b.length; j += 1) {
      if (reachable[at(i, j)] !== 1) continue
      const [x, y] = [a[i], b[j]]
      // A star matches nothing, or one more character of the other side.
      if (x === '*') {
        reachable[at(i + 1, j)] = 1
        if (j < b.length) reachable[at(i, j + 1)] = 1
      }
      if (y === '*') {
        reachable[at(i, j + 1)] = 1
        if (i < a.length) reachable[at(i + 1, j)] = 1
      }
      if (x !== undefined && y !== undefined && (x === y || x === '?' || y === '?')) reachable[at(i + 1, j + 1)] = 1
    }
  }
  return reachable[at(a.length, b.length)] === 1
}

const MAX_SEGMENTS = 64
const MAX_SEGMENT_CHARS = 256
const MAX_ALTERNATIVES = 16

/** `a.{ts,tsx}` as `a.ts` and `a.tsx`; one level, bounded. */
function expandBraces(pattern: string): readonly string[] {
  let found = [pattern]
  for (let round = 0; round < 4; round += 1) {
    const next = found.flatMap((text) => {
      const open = text.indexOf('{')
      const close = text.indexOf('}', open)
      if (open < 0 || close < 0) return [text]
      return text
        .slice(open + 1, close)
        .split(',')
        .map((choice) => text.slice(0, open) + choice + text.slice(close + 1))
    })
    if (next.length === found.length || next.length > MAX_ALTERNATIVES) break
    found = next
  }
  return found
}

function splitSegments(pattern: string): readonly string[] {
  return pattern
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.')
    .slice(0, MAX_SEGMENTS)
    .map((segment) => segment.slice(0, MAX_SEGMENT_CHARS).replace(/\[[^\]]*\]/g, '?'))
}

/** A path with a file extension has nothing below it. */
function isFile(segments: readonly string[]): boolean {
  return /.\.[A-Za-z0-9]{1,8}$/.test(segments.at(-1) ?? '')
}

/** Whether some path matches both: a folder includes everything in it, `**` any number of segments. */
function meet(a: readonly string[], b: readonly string[]): boolean {
  const known = new Map<number, boolean>()
  const from = (i: number, j: number): boolean => {
    const key = i * (MAX_SEGMENTS + 1) + j
    const seen = known.get(key)
    if (seen !== undefined) return seen
    known.set(key, false)
    const result = step(i, j)
    known.set(key, result)
    return result
  }
  const step = (i: number, j: number): boolean => {
    const [x, y] = [a[i], b[j]]
    // The end of a path is the file itself, or the folder and everything below it.
    if (x === undefined) return y === undefined || !isFile(a) || b.slice(j).every((segment) => segment === '**')
    if (y === undefined) return !isFile(b) || a.slice(i).every((segment) => segment === '**')
    if (x === '**') return from(i + 1, j) || from(i, j + 1)
    if (y === '**') return from(i, j + 1) || from(i + 1, j)
    return segmentsMeet(x, y) && from(i + 1, j + 1)
  }
  return from(0, 0)
}

/** Whether two paths or globs can match the same file. Bounded by their length. */
export function canPatternsOverlap(a: string, b: string): boolean {
  const others = expandBraces(b).map(splitSegments)
  return expandBraces(a)
    .map(splitSegments)
    .some((one) => others.some((other) => one.length > 0 && other.length > 0 && meet(one, other)))
}
