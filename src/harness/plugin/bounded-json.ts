const MAX_DEPTH = 12
const MAX_ITEMS = 200
/** Above what any field of an event keeps, whose own bound then cuts away the place where this one cut: no half of a secret is left over. */
const MAX_STRING_CHARS = 40_000
const MAX_TOTAL_CHARS = 600_000

function shortened(text: string): string {
  if (text.length <= MAX_STRING_CHARS) return text
  const half = MAX_STRING_CHARS / 2
  return `${text.slice(0, half)}\n…\n${text.slice(-half)}`
}

/**
 * JSON of whatever the harness handed over, within a bound. Never throws: cycles, getters that fail, functions and what
 * lies too deep are left out. The harness's own objects are only read.
 */
export function boundedJson(value: unknown): string {
  let left = MAX_TOTAL_CHARS
  const open = new Set<object>()

  function entriesOf(item: object): readonly (readonly [string, unknown])[] {
    return Object.keys(item)
      .slice(0, MAX_ITEMS)
      .map((key) => [key, copyOf(read(item, key))] as const)
      .filter(([, copy]) => copy !== undefined)
  }

  function copyOfObject(item: object): unknown {
    if (open.has(item) || open.size >= MAX_DEPTH) return undefined
    open.add(item)
    try {
      if (Array.isArray(item)) return item.slice(0, MAX_ITEMS).map((part) => copyOf(part) ?? null)
      return item instanceof Error
        ? { name: item.name, message: shortened(item.message) }
        : Object.fromEntries(entriesOf(item))
    } finally {
      open.delete(item)
    }
  }

  function copyOf(item: unknown): unknown {
    if (left <= 0) return undefined
    left -= 4
    if (typeof item === 'string') {
      const text = shortened(item)
      left -= text.length
      return left > 0 ? text : undefined
    }
    if (typeof item === 'bigint') return String(item)
    if (typeof item === 'number' || typeof item === 'boolean' || item === null) return item
    return typeof item === 'object' ? copyOfObject(item) : undefined
  }

  try {
    return JSON.stringify(copyOf(value) ?? null)
  } catch {
    // A proxy that fails on being looked at: there is nothing to tell of it.
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
