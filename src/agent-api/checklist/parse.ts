import {
  type ParsedChecklistItem,
  type StatedVerification,
  withIds,
  type ItemStatus,
  type MarkStatus,
} from '../../kernel/checklist.ts'
import { sha256 } from '../../platform/base/crypto.ts'

/** `[x] text` in a list, `✅ text` in a list, or a line that begins with ✅. */
export type MarkerStyle = 'box' | 'bullet-check' | 'bare-check'

export interface Marker {
  readonly style: MarkerStyle
  readonly status: ItemStatus
  /** As written: `[x]`, `✅`. */
  readonly written: string
  /** What follows the marker and its spaces. */
  readonly text: string
}

const BOX = /^(\[((?![[\]])\P{M}\p{M}?)\])[ \t]+(\S.*)$/u
const CHECK = /^(✅\uFE0F?)[ \t]*(\S.*)$/u

const STATUSES: Readonly<Record<string, ItemStatus>> = {
  x: 'done',
  X: 'done',
  '✓': 'done',
  '✔': 'done',
  '☑': 'done',
  '~': 'blocked',
  '>': 'in_progress',
  '/': 'in_progress',
  '✅': 'verified',
}

function toStatus(symbol: string): ItemStatus {
  if (/^\s$/u.test(symbol)) return 'pending'
  return STATUSES[symbol.replace('\uFE0F', '')] ?? 'other'
}

/** Reads one line of a paragraph. `isItemStart`: the line is where a list item's own text begins. */
function readMarker(line: string, isItemStart: boolean): Marker | undefined {
  const box = isItemStart ? BOX.exec(line) : null
  if (box !== null) {
    const [, written = '', symbol = '', text = ''] = box
    return { style: 'box', status: toStatus(symbol), written, text: text.trim() }
  }
  const check = CHECK.exec(line)
  if (check === null) return undefined
  const [, written = '', text = ''] = check
  return { style: isItemStart ? 'bullet-check' : 'bare-check', status: 'verified', written, text: text.trim() }
}

/** The spelling that this document uses. */
export interface MarkerHabit {
  readonly done: string
  readonly verified: string
}

export function detectHabit(written: readonly string[]): MarkerHabit {
  return {
    done: written.includes('[X]') && !written.includes('[x]') ? '[X]' : '[x]',
    verified: written.some((symbol) => symbol.startsWith('[✅')) ? '[✅]' : '✅',
  }
}

function written(status: MarkStatus, habit: MarkerHabit): string {
  switch (status) {
    case 'pending':
      return '[ ]'
    case 'in_progress':
      return '[/]'
    case 'done':
      return habit.done
    case 'blocked':
      return '[~]'
    case 'verified':
      return habit.verified
  }
}

/** The new marker. A line that only began with ✅ becomes a list item. */
export function markerFor(status: MarkStatus, style: MarkerStyle, habit: MarkerHabit): string {
  if (style !== 'bare-check') return written(status, habit)
  return status === 'verified' ? '✅' : `- ${written(status, habit)}`
}

interface SourceLine {
  /** Without its newline. */
  readonly text: string
  /** Where it begins in the whole text, in UTF-16 units. */
  readonly start: number
}

/** Lines as CommonMark defines them: separated by LF, CRLF or a lone CR. */
function splitLines(text: string): readonly SourceLine[] {
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

export interface ParsedItem extends ParsedChecklistItem {
  readonly marker: Marker
  /** Where the marker begins in the text, in UTF-16 units. */
  readonly markerStart: number
  /** Stated in the item or under it. Text of the repository: shown, and run only when the user says so. */
  readonly verification?: StatedVerification
}

const FIRST_SECTION = 'General'
const MAX_BODY_CHARS = 4_000

/** Two levels for each nested list. */
const MAX_NESTING = 100

function blockParser(): MarkdownIt {
  // Link definitions stay paragraphs, because `[x]` is a task and not a link.
  return markdownIt('commonmark', { maxNesting: MAX_NESTING }).enable('table').disable('reference')
}

function isFrontMatterEnd(line: SourceLine): boolean {
  return /^(?:---|\.\.\.)\s*$/.test(line.text)
}

/** Lines of YAML front matter, which Markdown would read as a rule and a heading. */
function countFrontMatterLines(lines: readonly SourceLine[]): number {
  if (!/^\uFEFF?---\s*$/.test(lines[0]?.text ?? '')) return 0
  const end = lines.findIndex((line, n) => n > 0 && isFrontMatterEnd(line))
  return end === -1 ? 0 : end + 1
}

function parseBlocks(lines: readonly SourceLine[]): readonly Token[] {
  const head = countFrontMatterLines(lines)
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
  /** Index of the checklist item, when the list item is one. */
  index: number | undefined
}

type ItemDraft = Omit<ParsedItem, 'id'>

class ChecklistReader {
  readonly drafts: ItemDraft[] = []
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
      else this.addBody(text)
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
      // Quotes, bullets and indentation come before the paragraph's text in the source line.
      markerStart: line.start + line.text.trimEnd().length - length,
      ...(verification !== undefined && { verification }),
    })
  }

  private addBody(text: string): void {
    const index = this.open.findLast((item) => item.index !== undefined)?.index
    const draft = index === undefined ? undefined : this.drafts[index]
    if (index === undefined || draft === undefined) return
    const verification = draft.verification ?? findVerification(text)
    const body = `${draft.body ?? ''}${draft.body === undefined ? '' : '\n'}${text}`.slice(0, MAX_BODY_CHARS)
    this.drafts[index] = { ...draft, body, ...(verification !== undefined && { verification }) }
  }
}

/** Every item of a Markdown text, in order. */
export function parseChecklist(text: string): readonly ParsedItem[] {
  const lines = splitLines(text)
  const reading = new ChecklistReader(lines)
  reading.read(parseBlocks(lines))
  return withIds(reading.drafts, sha256)
}
