import { getNodeValue, type Node } from 'jsonc-parser'
import { HoldfastError } from '../../kernel/errors.ts'
import type { JsonObject } from '../../kernel/json-shape.ts'
import {
  applyInsertions,
  findProperty,
  findValue,
  type Insertion,
  insertChildren,
  type NewChild,
  parseSettings,
  removeChild,
  revertInsertions,
  type TextEdit,
  detectStyle,
} from '../contract/settings-text.ts'

/** The object that a path of keys leads to from the root. */
export interface JsonLocation {
  readonly at: readonly string[]
  /** The file, for messages. */
  readonly path: string
}

/** The name of a container in a manifest: keys joined by `/`, with `/` in a key written as `~1`. */
export function containerName(at: readonly string[]): string {
  return at.map((key) => key.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')
}

function parseContainerName(name: string): readonly string[] {
  return name.split('/').map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
}

export function refuseShape(path: string, where: string, wanted: string): never {
  throw new HoldfastError('settings-unreadable', `${path}: ${where} is not ${wanted}, so the file was left as it is.`, {
    hint: `Correct ${where} in the file, then run the command again.`,
  })
}

export function getValue(node: Node | undefined): unknown {
  return node === undefined ? undefined : getNodeValue(node)
}

export function nodeAt(root: Node | undefined, at: readonly string[]): Node | undefined {
  return at.reduce<Node | undefined>((node, key) => findValue(node, key), root)
}

function nested(at: readonly string[], leaf: unknown): unknown {
  return at.toReversed().reduce<unknown>((value, key) => ({ [key]: value }), leaf)
}

function toObject(children: readonly NewChild[]): unknown {
  return Object.fromEntries(children.map(({ key, value }) => [key ?? '', value]))
}

/** Every prefix of `at` that is longer than `from` keys. */
function prefixes(at: readonly string[], from: number): readonly string[] {
  return at.flatMap((_, index) => (index >= from ? [containerName(at.slice(0, index + 1))] : []))
}

/** Adds children at the end of the container, which is created where it is missing. */
export function addAt(
  text: string,
  { at, path }: JsonLocation,
  children: readonly NewChild[],
  defaults: JsonObject = {},
): TextEdit {
  const root = parseSettings(text, path)
  if (root === undefined) {
    const whole = { ...defaults, ...Object(nested(at, toObject(children))) }
    const insertion = { offset: text.length, text: `${JSON.stringify(whole, undefined, 2)}\n` }
    const created = [...Object.keys(defaults).map((key) => containerName([key])), ...prefixes(at, 0)]
    return { text: applyInsertions(text, [insertion]), insertions: [insertion], created }
  }
  const absent = Object.entries(defaults).filter(([key]) => findProperty(root, key) === undefined)
  let node = root
  let depth = 0
  for (const [index, key] of at.entries()) {
    const next = findValue(node, key)
    if (next === undefined) break
    if (next.type !== 'object') refuseShape(path, `\`${at.slice(0, index + 1).join('.')}\``, 'an object')
    node = next
    depth = index + 1
  }
  const style = detectStyle(text, root)
  const [first, ...rest] = at.slice(depth)
  const added = first === undefined ? children : [{ key: first, value: nested(rest, toObject(children)) }]
  const ahead = absent.map(([key, value]) => ({ key, value }))
  const insertions: Insertion[] =
    node === root
      ? [insertChildren(text, root, [...ahead, ...added], style)]
      : [
          insertChildren(text, node, added, style),
          ...(ahead.length === 0 ? [] : [insertChildren(text, root, ahead, style)]),
        ]
  const created = [...absent.map(([key]) => containerName([key])), ...prefixes(at, depth)]
  return { text: applyInsertions(text, insertions), insertions, created }
}

function isEmptyOfText(text: string, node: Node): boolean {
  return text.slice(node.offset + 1, node.offset + node.length - 1).trim() === ''
}

/**
 * Removes containers that we created and that are empty now, innermost first. We create objects, and lists at
 * `listDepth` keys: an empty container of the other kind is not ours.
 */
export function withoutEmptied(
  text: string,
  created: readonly string[],
  { path, listDepth }: { readonly path: string; readonly listDepth?: number },
): string {
  const ways = created.map(parseContainerName).sort((a, b) => b.length - a.length)
  return ways.reduce((result, at) => {
    const root = parseSettings(result, path)
    const parent = nodeAt(root, at.slice(0, -1))
    const property = findProperty(parent, at.at(-1) ?? '')
    const value = property?.children?.[1]
    if (parent === undefined || property === undefined || value === undefined) return result
    const isAsWeMadeIt = value.type === (at.length === listDepth ? 'array' : 'object')
    return isAsWeMadeIt && isEmptyOfText(result, value) ? removeChild(result, parent, property) : result
  }, text)
}

/** Removes default properties that we added to the root; not if entries were since added to a list that we created, because those need them. */
export function withoutDefaults(
  text: string,
  created: readonly string[],
  { defaults, list, path }: { readonly defaults: JsonObject; readonly list: string; readonly path: string },
): string {
  const root = parseSettings(text, path)
  if (created.includes(containerName([list])) && findProperty(root, list) !== undefined) return text
  const isOurs = (property: Node) => {
    const [key, value] = property.children ?? []
    const name = String(key?.value)
    return created.includes(containerName([name])) && JSON.stringify(getValue(value)) === JSON.stringify(defaults[name])
  }
  return (root?.children ?? []).filter(isOurs).reduce((result, property) => {
    const now = parseSettings(result, path)
    const found = findProperty(now, String(property.children?.[0]?.value))
    return now === undefined || found === undefined ? result : removeChild(result, now, found)
  }, text)
}

function isParsable(text: string, path: string): boolean {
  try {
    parseSettings(text, path)
    return true
  } catch {
    // The caller then keeps its text.
    return false
  }
}

/** Removes each inserted text that still occurs exactly once. */
function withoutInserted(text: string, insertions: readonly Insertion[], path: string): string {
  return insertions.reduce((result, { text: added }) => {
    const at = result.indexOf(added)
    if (at < 0 || result.indexOf(added, at + 1) >= 0) return result
    const without = result.slice(0, at) + result.slice(at + added.length)
    return isParsable(without, path) ? without : result
  }, text)
}

export interface EditRemoval {
  readonly path: string
  readonly edit: Omit<TextEdit, 'text'> | undefined
  /** Finds our entries by their shape and removes them; the user's bytes stay. */
  readonly byShape: (text: string) => string
  readonly holdsOurs: (text: string) => boolean
}

/** The text without our entries: by reverting the insertions, else by the inserted text, else by shape. */
export function removeOwn(text: string, { path, edit, byShape, holdsOurs }: EditRemoval): string {
  parseSettings(text, path)
  const reverted = edit === undefined ? undefined : revertInsertions(text, edit.insertions)
  if (reverted !== undefined && isParsable(reverted, path) && !holdsOurs(reverted)) return reverted
  const shaped = byShape(text)
  const worded = byShape(withoutInserted(text, edit?.insertions ?? [], path))
  const value = (result: string) => JSON.stringify(getValue(parseSettings(result, path)))
  return value(worded) === value(shaped) ? worded : shaped
}
