import { contentText, isObject, type JsonObject, objectOf } from '../../kernel/json-shape.ts'
import { PAGE_FIELDS } from '../descriptor/descriptor-fields.ts'
import type { Page } from '../descriptor/descriptor.ts'

function at(value: unknown, steps: string): unknown {
  return steps
    .split('.')
    .reduce<unknown>((inner, step) => (isObject(inner) && Object.hasOwn(inner, step) ? inner[step] : undefined), value)
}

/** Where it stands; under our own name where the page does not say. */
function find(page: Page, field: string, payload: unknown): unknown {
  const places = [page.fields[field] ?? field].flat()
  return places.map((steps) => at(payload, steps)).find((value) => value !== undefined && value !== null)
}

function inOurWords(page: Page, field: string, value: unknown): unknown {
  const known = page.values[field]
  const word = typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number' ? String(value) : ''
  if (known !== undefined && Object.hasOwn(known, word)) return known[word]
  // Results come as objects too; what they say counts, and their shape is nobody's but the tool's.
  if (field === 'output' && typeof value === 'object') return contentText(value) ?? JSON.stringify(value)
  return value
}

function put(into: Record<string, unknown>, field: string, value: unknown): void {
  const [outer = field, inner] = field.split('.')
  into[outer] = inner === undefined ? value : { ...objectOf(into[outer]), [inner]: value }
}

/** What a harness sent for one of its hooks, as the payload that docs/generic-harness.md describes. */
export function translate(page: Page, hook: string | undefined, payload: unknown): JsonObject {
  const ours: Record<string, unknown> = { harness: page.name }
  for (const field of PAGE_FIELDS) {
    const value = find(page, field, payload)
    if (value !== undefined) put(ours, field, inOurWords(page, field, value))
  }
  const told = hook === undefined ? undefined : page.hooks?.events[hook]
  const always = typeof told === 'object' ? told.with : {}
  for (const [field, value] of Object.entries(always)) put(ours, field, value)
  return ours
}

/** The page's own form for an answer, with the words in it; plain text where it has none for this event. */
export function fill(template: unknown, words: { readonly text: string; readonly hook: string }): string {
  const filled = (value: unknown): unknown => {
    if (typeof value === 'string')
      return value.replaceAll(/\$(text|hook)/g, (_, name: string) => (name === 'text' ? words.text : words.hook))
    if (Array.isArray(value)) return value.map(filled)
    return isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filled(one)])) : value
  }
  return typeof template === 'string' ? String(filled(template)) : JSON.stringify(filled(template))
}
