import { createHash } from 'node:crypto'
import { type ChecklistItem, type StatedVerification, withIds } from '../../kernel/checklist.ts'
import { type Marker, readMarker } from './marker.ts'

interface SourceLine {
  /** Without its line end. */
  readonly text: string
  /** Where it begins in the whole text, in UTF-16 units. */
  readonly start: number
}

/** Lines as CommonMark sees them: a line ends at LF, CRLF or a lone CR. */
function sourceLines(text: string): readonly SourceLine[] {
  const lines: SourceLine[] = []
  let start = 0
  for (const end of text.matchAll(/\r\n|\n|\r/g)) {
    lines.push({ text: text.slice(start, end.index), start })
    start = end.index + end[0].length
  }
  lines.push({ text: text.slice(start), start })
  return lines
}

const COMMAND = /\b(?:verify|verification|verified by|verify with|check with)\s*:\s*`([^`\n]{1,500})`(.*)$/iu
const EXPECTED = /(?:\bexpect(?:s|ed)?\b\s*:?|→|->|=>)\s*`([^`\n]{1,500})`/iu

/** `verify: \`npm test\`, expect \`12 passed\`` */
function findVerification(text: string): StatedVerification | undefined {
  const found = COMMAND.exec(text.replaceAll('**', ''))
  const command = found?.[1]?.trim()
  if (found === null || command === undefined || command === '') return undefined
  const expect = EXPECTED.exec(found[2] ?? '')?.[1]
  return { command, ...(expect !== undefined && { expect }) }
}

import markdownIt, { type MarkdownIt, type Token } from 'markdown-it'

export interface ParsedItem extends ChecklistItem {
  readonly marker: Marker
  /** Where the marker begins in the text, in UTF-16 units. */
  readonly markerStart: number
  /** Stated in the item or in what is nested under it. Text of the repository: shown, and run only when a person says so. */
  readonly verification?: StatedVerification
}

const FIRST_SECTION = 'General'

/** Two levels for each list in a list. Deeper lists are no task list that anybody reads. */
const MAX_NESTING = 100

function blockParser(): MarkdownIt {
  // Link definitions are kept as paragraphs: whether `[x]` names a link somewhere says nothing about a task.
  return markdownIt('commonmark', { maxNesting: MAX_NESTING }).enable('table').disable('reference')
}

function isFrontMatterEnd(line: SourceLine): boolean {
  return /^(?:---|\.\.\.)\s*$/.test(line.text)
}

/** Lines of a YAML head, which Markdown would read as a rule and a heading. */
function frontMatterLines(lines: readonly SourceLine[]): number {
  if (!/^\uFEFF?---\s*$/.test(lines[0]?.text ?? '')) return 0
  const end = lines.findIndex((line, n) => n > 0 && isFrontMatterEnd(line))
  return end === -1 ? 0 : end + 1
}

function blocksOf(lines: readonly SourceLine[]): readonly Token[] {
  const head = frontMatterLines(lines)
  const source = lines
    .map(({ text }, n) => (n < head ? '' : text))
    .join('\n')
    .replace(/^\uFEFF/, '')
    .replaceAll('\0', '�')
  const parser = blockParser()
  const blocks: Token[] = []
  parser.block.parse(source, parser, {}, blocks)
  return blocks
}

interface OpenItem {
  /** Index of the item that a list item is, when it is one. */
  index: number | undefined
}

type Draft = Omit<ParsedItem, 'id'>

class Reading {
  readonly drafts: Draft[] = []
  private section = FIRST_SECTION
  private readonly open: OpenItem[] = []

  constructor(private readonly lines: readonly SourceLine[]) {}

  read(blocks: readonly Token[]): void {
    blocks.forEach((block, n) => {
      const before = blocks[n - 1]
      if (block.type === 'list_item_open') this.open.push({ index: undefined })
      else if (block.type === 'list_item_close') this.open.pop()
      else if (block.type !== 'inline' || block.map === null) return
      else if (before?.type === 'heading_open' && before.level === 0)
        this.section = block.content.trim() || this.section
      else if (before?.type === 'paragraph_open')
        this.paragraph(block.content, block.map[0], blocks[n - 2]?.type === 'list_item_open')
    })
  }

  private paragraph(content: string, firstLine: number, beginsItem: boolean): void {
    content.split('\n').forEach((raw, n) => {
      const text = raw.trim()
      const isItemStart = beginsItem && n === 0
      const marker = readMarker(text, isItemStart)
      if (marker !== undefined) this.add(marker, firstLine + n, text.length, isItemStart)
      else this.addVerification(text)
    })
  }

  private add(marker: Marker, lineIndex: number, length: number, isItemStart: boolean): void {
    const line = this.lines[lineIndex]
    if (line === undefined) return
    const verification = findVerification(marker.text)
    const item = this.open.at(-1)
    if (isItemStart && item !== undefined) item.index = this.drafts.length
    this.drafts.push({
      section: this.section,
      text: marker.text,
      status: marker.status,
      line: lineIndex + 1,
      marker,
      // The paragraph's line is the end of the source line: quotes, bullets and indentation stand before it.
      markerStart: line.start + line.text.trimEnd().length - length,
      ...(verification !== undefined && { verification }),
    })
  }

  private addVerification(text: string): void {
    const index = this.open.findLast((item) => item.index !== undefined)?.index
    const draft = index === undefined ? undefined : this.drafts[index]
    if (index === undefined || draft === undefined || draft.verification !== undefined) return
    const verification = findVerification(text)
    if (verification !== undefined) this.drafts[index] = { ...draft, verification }
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Every item of a Markdown text, in order. Any text is one: what is no task list has no items. */
export function parseChecklist(text: string): readonly ParsedItem[] {
  const lines = sourceLines(text)
  const reading = new Reading(lines)
  reading.read(blocksOf(lines))
  return withIds(reading.drafts, sha256)
}
