type Plain = string | number | boolean | null | undefined

export type ReadonlyDeep<T> = T extends Plain
  ? T
  : T extends readonly (infer Item)[]
    ? readonly ReadonlyDeep<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: ReadonlyDeep<T[Key]> }
      : T

/** Every member required, and optional ones boxed: assignable both ways only between equal shapes. */
type Exact<T> = T extends Plain
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Exact<Item>[]
    : T extends object
      ? {
          readonly [Key in keyof T]-?: undefined extends T[Key]
            ? { readonly maybe: Exact<Exclude<T[Key], undefined>> }
            : Exact<T[Key]>
        }
      : T

/**
 * True only while a schema's output and a core type are the same shape, optional members included:
 * `true satisfies SameShape<z.output<typeof Schema>, CoreType>`.
 */
export type SameShape<A, B> = [Exact<A>] extends [Exact<B>] ? ([Exact<B>] extends [Exact<A>] ? true : false) : false

export type JsonObject = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An empty object for anything else. */
export function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

/** An empty list for anything else. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

export function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** The text of a content value of a model API: a string, or blocks of which some have text. */
export function readContentText(content: unknown): string | undefined {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return undefined
  const texts = content.flatMap((block) => {
    if (typeof block === 'string') return [block]
    const text = asText(asObject(block).text)
    return text === undefined ? [] : [text]
  })
  return texts.length === 0 ? undefined : texts.join('\n')
}

function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys)
  if (!isObject(value)) return value
  const keys = Object.keys(value).filter((key) => value[key] !== undefined)
  return Object.fromEntries(keys.toSorted().map((key) => [key, withSortedKeys(value[key])]))
}

/**
 * The same text for the same value, independent of key order; undefined fields are left out. NUL and lone
 * surrogates are escaped.
 */
export function canonicalJson(value: unknown): string {
  // Sorted beforehand: JSON.stringify with a replacer is several times slower.
  return JSON.stringify(withSortedKeys(value))
}
