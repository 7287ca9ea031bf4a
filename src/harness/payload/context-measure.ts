import type { ContextMeasure } from '../../kernel/event.ts'
import { numberOf } from '../../kernel/json-shape.ts'

const MAX_TOKENS = 1_000_000_000

function tokensOf(value: unknown): number | undefined {
  const tokens = numberOf(value)
  return tokens !== undefined && tokens > 0 && tokens <= MAX_TOKENS ? Math.round(tokens) : undefined
}

/** What a harness says of its agent's context; undefined where it says nothing that can be so. */
export function readContextMeasure(tokens: unknown, windowTokens: unknown): ContextMeasure | undefined {
  const [used, fits] = [tokensOf(tokens), tokensOf(windowTokens)]
  return used === undefined ? undefined : { tokens: used, ...(fits === undefined ? {} : { windowTokens: fits }) }
}
