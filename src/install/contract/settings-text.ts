import { type Node, type ParseError, parseTree } from 'jsonc-parser'
import { HoldfastError } from '../../kernel/errors.ts'

const BOM = '\uFEFF'
const NOT_JSON = 'is not a JSON object'

/** Text inserted into settings, with its offset in the text before. */
export interface Insertion {
  readonly offset: number
  readonly text: string
}

/** The insertions of an install; with them an uninstall restores the text. */
export interface TextEdit {
  readonly text: string
  readonly insertions: readonly Insertion[]
  /** Containers that did not exist before, as paths: `hooks`, `hooks/Stop`. */
  readonly created: readonly string[]
}

/** Undefined for an empty text. Throws for one that is not a JSON object; comments and trailing commas are allowed. */
export function parseSettings(text: string, path: string): Node | undefined {
  const errors: ParseError[] = []
  // A byte order mark is one character for the parser too, so offsets stay the same.
  const visible = text.startsWith(BOM) ? ` ${text.slice(1)}` : text
  if (visible.trim() === '') return undefined
  let root: Node | undefined
  try {
    root = parseTree(visible, errors, { allowTrailingComma: true })
  } catch (thrown) {
    // The parser recurses; settings are never nested so deeply that it overflows.
    throw refuseSettings(path, NOT_JSON, thrown)
  }
  if (errors.length > 0 || root?.type !== 'object') throw refuseSettings(path, NOT_JSON)
  return root
}

/** The error for a file that cannot be edited: `why` continues its path. */
export function refuseSettings(path: string, why: string, cause?: unknown): HoldfastError {
  return new HoldfastError('settings-unreadable', `${path} ${why}, so it was left as it is.`, {
    hint: 'Correct the file, then run the command again.',
    cause,
  })
}

/** Why a harness that reads strict JSON drops the whole file. */
export const NOT_STRICT = 'comments or trailing commas'

/** Ignores a byte order mark. */
export function parseStrict(text: string): unknown {
  return JSON.parse(text.replace(BOM, ''))
}

export function isStrictJson(text: string): boolean {
  try {
    parseStrict(text)
    return true
  } catch {
    // The caller decides what follows.
    return false
  }
}

/** The value of the last property of that name, as JSON parsers take it. */
export function findValue(object: Node | undefined, key: string): Node | undefined {
  return findProperty(object, key)?.children?.[1]
}

export function findProperty(object: Node | undefined, key: string): Node | undefined {
  if (object?.type !== 'object') return undefined
  return object.children?.findLast((property) => property.children?.[0]?.value === key)
}

export interface Style {
  readonly unit: string
  readonly eol: string
  /** The whole file is on one line. */
  readonly isCompact: boolean
}

function indentAt(text: string, offset: number): string {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1
  return /^[\t ]*/.exec(text.slice(lineStart, offset))?.[0] ?? ''
}

function standsAlone(text: string, offset: number): boolean {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1
  return lineStart > 0 && text.slice(lineStart, offset).trim() === ''
}

export function detectStyle(text: string, root: Node | undefined): Style {
  const first = root?.children?.[0]
  const unit = first !== undefined && standsAlone(text, first.offset) ? indentAt(text, first.offset) : ''
  return {
    unit: unit === '' ? '  ' : unit,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
    isCompact: root !== undefined && (root.children?.length ?? 0) > 0 && !text.trim().includes('\n'),
  }
}

function render(value: unknown, indent: string, style: Style): string {
  return JSON.stringify(value, undefined, style.unit).split('\n').join(`${style.eol}${indent}`)
}

export interface NewChild {
  /** Absent in an array. */
  readonly key?: string
  readonly value: unknown
}

/** Adds children at the end of an object or array, in the layout of the file. */
export function insertChildren(text: string, container: Node, children: readonly NewChild[], style: Style): Insertion {
  const existing = container.children ?? []
  const last = existing.at(-1)
  const inner = text.slice(container.offset, container.offset + container.length)
  const isInline = style.isCompact || (last !== undefined && !inner.includes('\n'))
  const name = (child: NewChild) => (child.key === undefined ? '' : `${JSON.stringify(child.key)}:`)
  if (isInline) {
    const separator = style.isCompact ? ',' : ', '
    const rendered = children.map((child) => `${name(child)}${JSON.stringify(child.value)}`)
    const joined = rendered.join(separator)
    return last === undefined
      ? { offset: container.offset + 1, text: joined }
      : { offset: last.offset + last.length, text: `${separator}${joined}` }
  }
  const [first] = existing
  const outer = indentAt(text, container.offset)
  const indent =
    first !== undefined && standsAlone(text, first.offset) ? indentAt(text, first.offset) : outer + style.unit
  const rendered = children.map(
    (child) =>
      `${style.eol}${indent}${name(child)}${name(child) === '' ? '' : ' '}${render(child.value, indent, style)}`,
  )
  if (last !== undefined) return { offset: last.offset + last.length, text: `,${rendered.join(',')}` }
  const endsLine = /^[\t ]*\r?\n/.test(text.slice(container.offset + 1))
  return {
    offset: container.offset + 1,
    text: `${rendered.join(',')}${endsLine ? '' : `${style.eol}${outer}`}`,
  }
}

/** All offsets are offsets in `text`. */
export function applyInsertions(text: string, insertions: readonly Insertion[]): string {
  return [...insertions]
    .sort((a, b) => b.offset - a.offset)
    .reduce((result, { offset, text: added }) => result.slice(0, offset) + added + result.slice(offset), text)
}

/** The inverse; undefined when the text is not the result of `applyInsertions`. */
export function revertInsertions(text: string, insertions: readonly Insertion[]): string | undefined {
  let result = text
  for (const { offset, text: added } of [...insertions].sort((a, b) => a.offset - b.offset)) {
    if (!result.startsWith(added, offset)) return undefined
    result = result.slice(0, offset) + result.slice(offset + added.length)
  }
  return result
}

/** Between two values there are only spaces, comments and at most one comma. */
function findComma(text: string, from: number, to: number): number | undefined {
  for (let at = from; at < to; at += 1) {
    if (text[at] === ',') return at
    if (text.startsWith('//', at)) at = text.indexOf('\n', at)
    else if (text.startsWith('/*', at)) at = text.indexOf('*/', at) + 1
    if (at < from) return undefined
  }
  return undefined
}

const spacesAt = (text: string, from: number): number => /^\s*/.exec(text.slice(from))?.[0].length ?? 0

/** Removes one property or element with one comma and its space; comments stay. */
export function removeChild(text: string, container: Node, child: Node): string {
  const siblings = container.children ?? []
  const index = siblings.indexOf(child)
  const start = child.offset
  const end = child.offset + child.length
  const close = container.offset + container.length - 1
  const before = siblings[index - 1]
  if (before !== undefined) {
    const comma = findComma(text, before.offset + before.length, start) ?? start
    const between = text.slice(comma + 1, start)
    return text.slice(0, comma) + (between.trim() === '' ? '' : between) + text.slice(end)
  }
  const comma = findComma(text, end, siblings[1]?.offset ?? close)
  if (comma !== undefined && siblings[1] !== undefined)
    return text.slice(0, start) + text.slice(end, comma) + text.slice(comma + 1 + spacesAt(text, comma + 1))
  const inside = text.slice(container.offset + 1, start) + text.slice(comma === undefined ? end : comma + 1, close)
  return text.slice(0, container.offset + 1) + (inside.trim() === '' ? '' : inside) + text.slice(close)
}
