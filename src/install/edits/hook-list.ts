import type { Node } from 'jsonc-parser'
import { isObject, type JsonObject } from '../../kernel/json-shape.ts'
import type { EntryEdit, OwnEntries } from '../contract/settings-edit.ts'
import {
  applyInsertions,
  findValue,
  type Insertion,
  insertChildren,
  type NewChild,
  parseSettings,
  removeChild,
  type TextEdit,
  detectStyle,
} from '../contract/settings-text.ts'
import type { HookReach } from '../contract/setup.ts'
import {
  addAt,
  containerName,
  refuseShape,
  removeOwn,
  getValue,
  withoutDefaults,
  withoutEmptied,
} from './json-location.ts'

export interface HookList {
  readonly path: string
  /** The element for the list of each hook: `{ matcher?, hooks: [entry] }`, or the entry itself. */
  readonly hooks: ReadonlyMap<string, unknown>
  /** Whether an innermost entry is one that this version or an older one writes. */
  readonly isOurs: (entry: unknown) => boolean
  /** Properties that the file must have beside `hooks`; added where they are missing. */
  readonly defaults?: JsonObject
  /** Further elements for a hook that should call us more than once. */
  readonly more?: ReadonlyMap<string, readonly unknown[]>
}

const AT = ['hooks']

function addHooks(text: string, { path, hooks, defaults = {}, more = new Map() }: HookList): TextEdit {
  const root = parseSettings(text, path)
  const existing = findValue(root, 'hooks')
  const lists = [...hooks].map(([hook, element]) => ({ key: hook, value: [element, ...(more.get(hook) ?? [])] }))
  const named = (children: readonly NewChild[]) => children.map(({ key }) => containerName([...AT, key ?? '']))
  if (root === undefined || existing === undefined) {
    const edit = addAt(text, { at: AT, path }, lists, defaults)
    return { ...edit, created: [...edit.created, ...named(lists)] }
  }
  if (existing.type !== 'object') refuseShape(path, '`hooks`', 'an object')
  const style = detectStyle(text, root)
  const missing = lists.filter(({ key }) => findValue(existing, key) === undefined)
  const insertions: Insertion[] = []
  for (const [hook, element] of hooks) {
    const list = findValue(existing, hook)
    if (list === undefined) continue
    if (list.type !== 'array') refuseShape(path, `\`hooks.${hook}\``, 'a list')
    const elements = [element, ...(more.get(hook) ?? [])].map((value) => ({ value }))
    insertions.push(insertChildren(text, list, elements, style))
  }
  const absent = Object.entries(defaults).filter(([key]) => findValue(root, key) === undefined)
  if (missing.length > 0) insertions.push(insertChildren(text, existing, missing, style))
  if (absent.length > 0) {
    const ahead = absent.map(([key, value]) => ({ key, value }))
    insertions.push(insertChildren(text, root, ahead, style))
  }
  const created = [...absent.map(([key]) => containerName([key])), ...named(missing)]
  return { text: applyInsertions(text, insertions), insertions, created }
}

interface HookEntryNode {
  readonly container: Node
  readonly child: Node
}

/** The element itself where it contains only our entry, otherwise the single entry in it. */
function findInElement(list: Node, element: Node, isOurs: HookList['isOurs']): HookEntryNode | undefined {
  const value = getValue(element)
  if (isOurs(value)) return { container: list, child: element }
  const inner = findValue(element, 'hooks')
  const entries = inner?.type === 'array' ? (inner.children ?? []) : []
  const ours = entries.find((entry) => isOurs(getValue(entry)))
  if (inner === undefined || ours === undefined) return undefined
  const isWhole = isObject(value) && Object.keys(value).every((key) => key === 'hooks' || key === 'matcher')
  return entries.length === 1 && isWhole ? { container: list, child: element } : { container: inner, child: ours }
}

function findOurs(root: Node | undefined, isOurs: HookList['isOurs']): HookEntryNode | undefined {
  for (const property of findValue(root, 'hooks')?.children ?? []) {
    const list = property.children?.[1]
    if (list?.type !== 'array') continue
    for (const element of list.children ?? []) {
      const found = findInElement(list, element, isOurs)
      if (found !== undefined) return found
    }
  }
  return undefined
}

function removeByShape(text: string, created: readonly string[], { path, isOurs, defaults = {} }: HookList): string {
  let result = text
  for (;;) {
    const found = findOurs(parseSettings(result, path), isOurs)
    if (found === undefined) break
    result = removeChild(result, found.container, found.child)
  }
  const emptied = withoutEmptied(result, created, { path, listDepth: AT.length + 1 })
  return withoutDefaults(emptied, created, { defaults, list: 'hooks', path })
}

/** Without a record, lists and objects that contained only our entries are removed too. */
function emptiedByUs(text: string, list: HookList): readonly string[] {
  const hooks = [...findHooks(text, list).keys()]
  return hooks.length === 0 ? [] : [containerName(AT), ...hooks.map((hook) => containerName([...AT, hook]))]
}

function findHooks(text: string, { path, isOurs }: HookList): OwnEntries {
  const found = new Map<string, unknown[]>()
  for (const property of findValue(parseSettings(text, path), 'hooks')?.children ?? []) {
    const elements: unknown = getValue(property.children?.[1])
    for (const element of Array.isArray(elements) ? elements : []) {
      const inner: readonly unknown[] = isObject(element) && Array.isArray(element.hooks) ? element.hooks : []
      const entries = isOurs(element) ? [element] : inner.filter(isOurs)
      const hook = String(property.children?.[0]?.value)
      if (entries.length > 0) found.set(hook, [...(found.get(hook) ?? []), ...entries])
    }
  }
  return found
}

/** Our hooks beside others, in a JSON file of the form `hooks: { <hook>: [element] }`. */
export function hookListEdit({ reach, ...list }: HookList & { readonly reach?: HookReach }): EntryEdit {
  return {
    id: 'hooks',
    kind: 'hooks',
    shape: 'entry',
    path: list.path,
    add: (text) => addHooks(text, list),
    remove(text, edit) {
      const created = edit?.created ?? emptiedByUs(text, list)
      return removeOwn(text, {
        path: list.path,
        edit,
        byShape: (rest) => removeByShape(rest, created, list),
        holdsOurs: (rest) => findOurs(parseSettings(rest, list.path), list.isOurs) !== undefined,
      })
    },
    find: (text) => findHooks(text, list),
    ...(reach === undefined ? {} : { reach }),
  }
}
