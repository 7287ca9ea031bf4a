const PATH = /(?<![\w./~@-])((?:\.{0,2}\/)?(?:[\w@.+-]+\/)*[\w@+-][\w@.+-]*\.[A-Za-z][A-Za-z0-9]{0,9})(?![\w/])/g
const DOTTED_WORDS = /^(?:e\.g|i\.e|etc|vs|node\.js|[a-z]+\.(?:com|org|net|io|dev))$/i

/** Relative paths in a text, with a folder or between backticks; in order, each once. */
export function findPaths(text: string): readonly string[] {
  const bare = [...text.matchAll(PATH)].filter(([, path = '']) => path.includes('/')).map(([, path = '']) => path)
  const quoted = [...text.matchAll(/`([^`\n]{1,200})`/g)].flatMap(([, code = '']) =>
    [...code.matchAll(PATH)].map(([, path = '']) => path),
  )
  const paths = [...bare, ...quoted]
    .map((path) => path.replace(/^\.\//, ''))
    .filter(
      (path) => !path.startsWith('/') && !path.startsWith('..') && !DOTTED_WORDS.test(path) && !/\d\.\d/.test(path),
    )
  return [...new Set(paths)]
}

export interface MarkdownSection {
  /** Empty for text before the first heading. */
  readonly title: string
  readonly level: number
  readonly body: string
}

const NEWLINE = /\r\n|\n|\r/

function trackFence(fence: string | undefined, line: string): string | undefined {
  const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
  if (mark === undefined) return fence
  if (fence === undefined) return mark
  return mark.startsWith(fence) ? undefined : fence
}

/** The fence that a text leaves open, which would enclose the text after it. */
export function findOpenFence(text: string): string | undefined {
  return text.split(NEWLINE).reduce<string | undefined>(trackFence, undefined)
}

/** Splits a text at headings of level 1 and 2 outside of fences, without comments. */
export function splitSections(text: string): readonly MarkdownSection[] {
  const sections: { title: string; level: number; lines: string[] }[] = [{ title: '', level: 0, lines: [] }]
  let fence: string | undefined
  for (const line of removeComments(text).split(NEWLINE)) {
    fence = trackFence(fence, line)
    const heading = fence === undefined ? /^(#{1,2})\s+(.*?)\s*#*\s*$/.exec(line) : null
    if (heading === null) sections.at(-1)?.lines.push(line)
    else sections.push({ title: heading[2] ?? '', level: heading[1]?.length ?? 1, lines: [] })
  }
  return sections.map(({ title, level, lines }) => ({ title, level, body: lines.join('\n').trim() }))
}

function removeComments(text: string): string {
  let result = ''
  let from = 0
  for (;;) {
    const start = text.indexOf('<!--', from)
    const end = start === -1 ? -1 : text.indexOf('-->', start + 4)
    if (end === -1) return result + text.slice(from)
    result += text.slice(from, start)
    from = end + 3
  }
}
