export interface MarkdownSection {
  /** Empty for what stands before the first heading. */
  readonly title: string
  readonly level: number
  readonly body: string
}

const LINE_END = /\r\n|\n|\r/

/** The fence that is open after a line. */
function fenceAfter(fence: string | undefined, line: string): string | undefined {
  const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
  if (mark === undefined) return fence
  if (fence === undefined) return mark
  return mark.startsWith(fence) ? undefined : fence
}

/** The fence that a text leaves open; it would take in whatever is written after it. */
export function openFence(text: string): string | undefined {
  return text.split(LINE_END).reduce<string | undefined>(fenceAfter, undefined)
}

/** A text cut at its headings of level 1 and 2; a `#` in a fence is no heading. Comments are left out. */
export function markdownSections(text: string): readonly MarkdownSection[] {
  const sections: { title: string; level: number; lines: string[] }[] = [{ title: '', level: 0, lines: [] }]
  let fence: string | undefined
  for (const line of withoutComments(text).split(LINE_END)) {
    fence = fenceAfter(fence, line)
    const heading = fence === undefined ? /^(#{1,2})\s+(.*?)\s*#*\s*$/.exec(line) : null
    if (heading === null) sections.at(-1)?.lines.push(line)
    else sections.push({ title: heading[2] ?? '', level: heading[1]?.length ?? 1, lines: [] })
  }
  return sections.map(({ title, level, lines }) => ({ title, level, body: lines.join('\n').trim() }))
}

function withoutComments(text: string): string {
  let kept = ''
  let from = 0
  for (;;) {
    const start = text.indexOf('<!--', from)
    const end = start === -1 ? -1 : text.indexOf('-->', start + 4)
    if (end === -1) return kept + text.slice(from)
    kept += text.slice(from, start)
    from = end + 3
  }
}
