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
  type SettingsEdit,
  styleOf,
} from '../contract/settings-text.ts'

/** The container at the end of a way of keys from the root. */
export interface Place {
  readonly at: readonly string[]
  readonly leaf: 'object' | 'array'
  /** For messages. */
  readonly path: string
}

/** How a manifest names a container: keys joined by `/`, one in a key written as `~1`. */
export function containerName(at: readonly string[]): string {
  return at.map((key) => key.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')
}

function keysOf(name: string): readonly string[] {
  return name.split('/').map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
}

export function refuseShape(path: string, where: string, wanted: string): never {
  throw new HoldfastError('settings-unreadable', `${path}: ${where} is not ${wanted}, so the file was left as it is.`, {
    hint: `Correct ${where} in the file, then run the command again.`,
  })
}

export function valueOf(node: Node | undefined): unknown {
  return node === undefined ? undefined : getNodeValue(node)
}

export function nodeAt(root: Node | undefined, at: readonly string[]): Node | undefined {
  return at.reduce<Node | undefined>((node, key) => findValue(node, key), root)
}

function nested(at: readonly string[], leaf: unknown): unknown {
  return at.toReversed().reduce<unknown>((value, key) => ({ [key]: value }), leaf)
}

function leafOf({ leaf }: Place, children: readonly NewChild[]): unknown {
  if (leaf === 'array') return children.map((child) => child.value)
  return Object.fromEntries(children.map(({ key, value }) => [key ?? '', value]))
}

/** Every way that leads to the end of `at` and is longer than `from` keys. */
function prefixes(at: readonly string[], from: number): readonly string[] {
  return at.flatMap((_, index) => (index >= from ? [containerName(at.slice(0, index + 1))] : []))
}

/** Puts children at the end of the container, which is made where it is missing. */
export function addAt(
  text: string,
  place: Place,
  children: readonly NewChild[],
  defaults: JsonObject = {},
): SettingsEdit {
  const { at, path } = place
  const root = parseSettings(text, path)
  if (root === undefined) {
    const whole = { ...defaults, ...Object(nested(at, leafOf(place, children))) }
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
    const wanted = index === at.length - 1 ? place.leaf : 'object'
    const where = `\`${at.slice(0, index + 1).join('.')}\``
    if (next.type !== wanted) refuseShape(path, where, wanted === 'array' ? 'a list' : 'an object')
    node = next
    depth = index + 1
  }
  const style = styleOf(text, root)
  const [first, ...rest] = at.slice(depth)
  const added = first === undefined ? children : [{ key: first, value: nested(rest, leafOf(place, children)) }]
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
 * Takes out containers that we made and that hold nothing any more, innermost first. We make objects, and lists at the end of
 * `listDepth` keys: an empty one of the other kind is somebody's own, put where ours stood.
 */
export function withoutEmptied(
  text: string,
  created: readonly string[],
  { path, listDepth }: { readonly path: string; readonly listDepth?: number },
): string {
  const ways = created.map(keysOf).sort((a, b) => b.length - a.length)
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

/** Takes out properties of the root that we put there as defaults; not where somebody since put entries into a list that we made, which need them. */
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
    return created.includes(containerName([name])) && JSON.stringify(valueOf(value)) === JSON.stringify(defaults[name])
  }
  return (root?.children ?? []).filter(isOurs).reduce((result, property) => {
    const now = parseSettings(result, path)
    const found = findProperty(now, String(property.children?.[0]?.value))
    return now === undefined || found === undefined ? result : removeChild(result, now, found)
  }, text)
}

function parses(text: string, path: string): boolean {
  try {
    parseSettings(text, path)
    return true
  } catch {
    // Asked, not reported: the caller then keeps the text it had.
    return false
  }
}

/** Takes out each inserted text that still stands there once, exactly as it was put in. */
function withoutInserted(text: string, insertions: readonly Insertion[], path: string): string {
  return insertions.reduce((result, { text: added }) => {
    const at = result.indexOf(added)
    if (at < 0 || result.indexOf(added, at + 1) >= 0) return result
    const without = result.slice(0, at) + result.slice(at + added.length)
    return parses(without, path) ? without : result
  }, text)
}

export interface Removal {
  readonly path: string
  readonly edit: Omit<SettingsEdit, 'text'> | undefined
  /** Finds ours by what it is, and takes it out; the user's own bytes stay. */
  readonly byShape: (text: string) => string
  readonly holdsOurs: (text: string) => boolean
}

/** The text without ours: by the exact opposite of what was done, else by the inserted text, else by shape. */
export function takeOut(text: string, { path, edit, byShape, holdsOurs }: Removal): string {
  parseSettings(text, path)
  const reverted = edit === undefined ? undefined : revertInsertions(text, edit.insertions)
  if (reverted !== undefined && parses(reverted, path) && !holdsOurs(reverted)) return reverted
  const shaped = byShape(text)
  const worded = byShape(withoutInserted(text, edit?.insertions ?? [], path))
  const value = (result: string) => JSON.stringify(valueOf(parseSettings(result, path)))
  return value(worded) === value(shaped) ? worded : shaped
}
