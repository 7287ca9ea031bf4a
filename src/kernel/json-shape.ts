export type JsonObject = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An empty object for anything else: a missing part of somebody else's JSON reads as one with nothing in it. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

/** An empty list for anything else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** The text of a content value as model APIs write it: a string, or blocks of which some hold text. */
export function contentText(content: unknown): string | undefined {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return undefined
  const texts = content.flatMap((block) => {
    if (typeof block === 'string') return [block]
    const text = textOf(objectOf(block).text)
    return text === undefined ? [] : [text]
  })
  return texts.length === 0 ? undefined : texts.join('\n')
}
