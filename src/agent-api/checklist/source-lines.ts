export interface SourceLine {
  /** Without its line end. */
  readonly text: string
  /** Where it begins in the whole text, in UTF-16 units. */
  readonly start: number
}

/** Lines as CommonMark sees them: a line ends at LF, CRLF or a lone CR. */
export function sourceLines(text: string): readonly SourceLine[] {
  const lines: SourceLine[] = []
  let start = 0
  for (const end of text.matchAll(/\r\n|\n|\r/g)) {
    lines.push({ text: text.slice(start, end.index), start })
    start = end.index + end[0].length
  }
  lines.push({ text: text.slice(start), start })
  return lines
}
