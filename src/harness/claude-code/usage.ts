import type { MessageUsage } from '../../kernel/context-meter.ts'
import { asNumber, asObject, asText, isObject, type JsonObject } from '../../kernel/json-shape.ts'

export function sumContextTokens(usage: JsonObject): number | undefined {
  const parts = [
    usage.input_tokens,
    usage.cache_read_input_tokens,
    usage.cache_creation_input_tokens,
    usage.output_tokens,
  ]
  const numbers = parts.flatMap((part) => asNumber(part) ?? [])
  return numbers.length === 0 ? undefined : numbers.reduce((sum, part) => sum + part, 0)
}

/** Several lines of one answer repeat its usage; their message id is the same. */
export function readUsage({ type, timestamp, message }: JsonObject): MessageUsage | undefined {
  const { id, usage } = asObject(message)
  const at = asText(timestamp)
  if (type !== 'assistant' || typeof id !== 'string' || at === undefined || !isObject(usage)) return undefined
  return {
    id,
    at,
    input: asNumber(usage.input_tokens) ?? 0,
    output: asNumber(usage.output_tokens) ?? 0,
    cacheRead: asNumber(usage.cache_read_input_tokens) ?? 0,
    cacheWrite: asNumber(usage.cache_creation_input_tokens) ?? 0,
  }
}
