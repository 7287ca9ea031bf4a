const MAX_DEPTH = 12
const MAX_ITEMS = 200
/** Above the limit of every event field, whose own cut then drops this cut's edge: no half of a secret is left. */
const MAX_STRING_CHARS = 40_000
const MAX_TOTAL_CHARS = 600_000

function shorten(text: string): string {
  if (text.length <= MAX_STRING_CHARS) return text
  const half = MAX_STRING_CHARS / 2
  return `${text.slice(0, half)}\n…\n${text.slice(-half)}`
}

/**
 * JSON of what the harness passed, within a limit. Never throws: cycles, failing getters, functions and deep values are
 * left out. The harness's objects are only read.
 */
export function boundedJson(value: unknown): string {
  let left = MAX_TOTAL_CHARS
  const open = new Set<object>()

  function copyEntries(item: object): readonly (readonly [string, unknown])[] {
    return Object.keys(item)
      .slice(0, MAX_ITEMS)
      .map((key) => [key, copy(read(item, key))] as const)
      .filter(([, copy]) => copy !== undefined)
  }

  function copyObject(item: object): unknown {
    if (open.has(item) || open.size >= MAX_DEPTH) return undefined
    open.add(item)
    try {
      if (Array.isArray(item)) return item.slice(0, MAX_ITEMS).map((part) => copy(part) ?? null)
      return item instanceof Error
        ? { name: item.name, message: shorten(item.message) }
        : Object.fromEntries(copyEntries(item))
    } finally {
      open.delete(item)
    }
  }

  function copy(item: unknown): unknown {
    if (left <= 0) return undefined
    left -= 4
    if (typeof item === 'string') {
      const text = shorten(item)
      left -= text.length
      return left > 0 ? text : undefined
    }
    if (typeof item === 'bigint') return String(item)
    if (typeof item === 'number' || typeof item === 'boolean' || item === null) return item
    return typeof item === 'object' ? copyObject(item) : undefined
  }

  try {
    return JSON.stringify(copy(value) ?? null)
  } catch {
    // A proxy that fails when it is read.
    return 'null'
  }
}

function read(item: object, key: string): unknown {
  try {
    return Reflect.get(item, key)
  } catch {
    return undefined
  }
}
