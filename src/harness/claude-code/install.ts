import { getNodeValue, type Node } from 'jsonc-parser'
import { HoldfastError } from '../../core/errors.ts'
import { isObject } from '../json-shape.ts'
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
} from '../settings-text.ts'
import { type HookEntry, isOurHook, matcherOf } from './hook-entries.ts'

function valueOf(node: Node | undefined): unknown {
  return node === undefined ? undefined : getNodeValue(node)
}

function refuse(path: string, where: string, wanted: string): never {
  throw new HoldfastError('settings-unreadable', `${path}: ${where} is not ${wanted}, so the file was left as it is.`, {
    hint: `Correct ${where} in the file, then run the command again.`,
  })
}

/** Adds our hooks beside everybody else's. The text must hold none of ours yet. */
export function addHooks(text: string, hooks: ReadonlyMap<string, HookEntry>, path: string): SettingsEdit {
  const root = parseSettings(text, path)
  const groupOf = (hook: string, entry: HookEntry) => {
    const matcher = matcherOf(hook)
    return matcher === undefined ? { hooks: [entry] } : { matcher, hooks: [entry] }
  }
  if (root === undefined) {
    const all = Object.fromEntries([...hooks].map(([hook, entry]) => [hook, [groupOf(hook, entry)]]))
    const insertion = { offset: text.length, text: `${JSON.stringify({ hooks: all }, undefined, 2)}\n` }
    return {
      text: applyInsertions(text, [insertion]),
      insertions: [insertion],
      created: ['hooks', ...[...hooks.keys()].map((hook) => `hooks/${hook}`)],
    }
  }
  const style = styleOf(text, root)
  const existing = findValue(root, 'hooks')
  if (existing !== undefined && existing.type !== 'object') refuse(path, '`hooks`', 'an object')
  const insertions: Insertion[] = []
  const created: string[] = []
  const missing: NewChild[] = []
  for (const [hook, entry] of hooks) {
    const groups = findValue(existing, hook)
    if (groups === undefined) {
      missing.push({ key: hook, value: [groupOf(hook, entry)] })
      created.push(`hooks/${hook}`)
    } else if (groups.type !== 'array') refuse(path, `\`hooks.${hook}\``, 'a list')
    else insertions.push(insertChildren(text, groups, [{ value: groupOf(hook, entry) }], style))
  }
  if (existing === undefined) {
    const all = Object.fromEntries(missing.map(({ key, value }) => [key ?? '', value]))
    insertions.push(insertChildren(text, root, [{ key: 'hooks', value: all }], style))
    created.push('hooks')
  } else if (missing.length > 0) insertions.push(insertChildren(text, existing, missing, style))
  return { text: applyInsertions(text, insertions), insertions, created }
}

interface Found {
  readonly container: Node
  readonly child: Node
}

function isEmptyOfText(text: string, node: Node): boolean {
  return text.slice(node.offset + 1, node.offset + node.length - 1).trim() === ''
}

/** One thing of ours to take out: a whole group where it holds nothing else, otherwise the single hook. */
function findOurs(root: Node | undefined): Found | undefined {
  for (const property of findValue(root, 'hooks')?.children ?? []) {
    const groups = property.children?.[1]
    if (groups?.type !== 'array') continue
    for (const group of groups.children ?? []) {
      const list = findValue(group, 'hooks')
      const entries = list?.type === 'array' ? (list.children ?? []) : []
      const ours = entries.find((entry) => isOurHook(valueOf(entry)))
      if (list === undefined || ours === undefined) continue
      const value = valueOf(group)
      const isWhole = isObject(value) && Object.keys(value).every((key) => key === 'hooks' || key === 'matcher')
      return entries.length === 1 && isWhole ? { container: groups, child: group } : { container: list, child: ours }
    }
  }
  return undefined
}

/** Containers that we made and that hold nothing any more, innermost first. */
function findEmptied(text: string, root: Node | undefined, created: readonly string[]): Found | undefined {
  const hooks = findValue(root, 'hooks')
  if (root === undefined || hooks === undefined) return undefined
  for (const property of hooks.type === 'object' ? (hooks.children ?? []) : []) {
    const [key, value] = property.children ?? []
    if (value?.type !== 'array' || !created.includes(`hooks/${String(key?.value)}`)) continue
    if (isEmptyOfText(text, value)) return { container: hooks, child: property }
  }
  const property = findProperty(root, 'hooks')
  if (property === undefined || !created.includes('hooks') || !isEmptyOfText(text, hooks)) return undefined
  return { container: root, child: property }
}

function removeByShape(text: string, created: readonly string[], path: string): string {
  let result = text
  for (;;) {
    const root = parseSettings(result, path)
    const found = findOurs(root) ?? findEmptied(result, root, created)
    if (found === undefined) return result
    result = removeChild(result, found.container, found.child)
  }
}

function isWholeSettings(text: string, path: string): boolean {
  try {
    parseSettings(text, path)
    return true
  } catch {
    // Asked, not reported: the caller then keeps the text it had.
    return false
  }
}

/** Takes out each inserted text that still stands there once, exactly as it was put in. */
function removeByText(text: string, insertions: readonly Insertion[], path: string): string {
  return insertions.reduce((result, { text: added }) => {
    const at = result.indexOf(added)
    if (at < 0 || result.indexOf(added, at + 1) >= 0) return result
    const without = result.slice(0, at) + result.slice(at + added.length)
    return isWholeSettings(without, path) ? without : result
  }, text)
}

/**
 * The settings without our hooks, everything else byte for byte as it is. `edit` is what our install recorded;
 * without it (a lost manifest) lists and objects that only held ours go too.
 */
export function removeHooks(text: string, edit: Omit<SettingsEdit, 'text'> | undefined, path: string): string {
  const root = parseSettings(text, path)
  const reverted = edit === undefined ? undefined : revertInsertions(text, edit.insertions)
  if (
    reverted !== undefined &&
    isWholeSettings(reverted, path) &&
    findOurs(parseSettings(reverted, path)) === undefined
  )
    return reverted
  const created = edit?.created ?? emptiedByUs(root)
  const byShape = removeByShape(text, created, path)
  const byText = removeByShape(removeByText(text, edit?.insertions ?? [], path), created, path)
  const isSame =
    JSON.stringify(valueOf(parseSettings(byText, path))) === JSON.stringify(valueOf(parseSettings(byShape, path)))
  return isSame ? byText : byShape
}

function emptiedByUs(root: Node | undefined): readonly string[] {
  const hooks = findValue(root, 'hooks')
  const ours = (hooks?.children ?? []).filter((property) => {
    const groups: unknown = valueOf(property.children?.[1])
    return (
      Array.isArray(groups) &&
      groups.some((group) => isObject(group) && Array.isArray(group.hooks) && group.hooks.some(isOurHook))
    )
  })
  return ours.length === 0 ? [] : ['hooks', ...ours.map((property) => `hooks/${String(property.children?.[0]?.value)}`)]
}

/** Our entries as they stand in the settings now, by hook. */
export function findInstalledHooks(text: string, path: string): ReadonlyMap<string, readonly unknown[]> {
  const found = new Map<string, unknown[]>()
  for (const property of findValue(parseSettings(text, path), 'hooks')?.children ?? []) {
    const groups: unknown = valueOf(property.children?.[1])
    for (const group of Array.isArray(groups) ? groups : []) {
      const entries = isObject(group) && Array.isArray(group.hooks) ? group.hooks.filter(isOurHook) : []
      const hook = String(property.children?.[0]?.value)
      if (entries.length > 0) found.set(hook, [...(found.get(hook) ?? []), ...entries])
    }
  }
  return found
}
