import { z } from 'zod'

const Usage = z.object({
  input_tokens: z.number().nonnegative().optional(),
  output_tokens: z.number().nonnegative().optional(),
  cache_creation_input_tokens: z.number().nonnegative().optional(),
  cache_read_input_tokens: z.number().nonnegative().optional(),
})

/**
 * Lines of an agent that prints JSON: Claude Code's `--output-format stream-json` tells each message's usage by id and a
 * total in its `result`; Codex's `--json` tells one for each finished turn.
 */
const Line = z.object({
  type: z.string(),
  message: z.object({ id: z.string(), usage: Usage }).optional(),
  usage: Usage.optional(),
})

const MAX_LINE = 1_000_000

function tokensOf(usage: z.infer<typeof Usage>): number {
  return (
    (usage.input_tokens ?? 0) +
    (usage.output_tokens ?? 0) +
    (usage.cache_creation_input_tokens ?? 0) +
    // Read from a cache for a tenth of the price, and still part of what was processed.
    (usage.cache_read_input_tokens ?? 0)
  )
}

/** Counts tokens from what an agent prints. Undefined while it has told none: a budget cannot be watched then. */
export class UsageMeter {
  #rest = ''
  #messages = new Map<string, number>()
  #turns = 0
  #result: number | undefined

  get tokens(): number | undefined {
    const byMessage = [...this.#messages.values()].reduce((sum, tokens) => sum + tokens, 0)
    const counted = Math.max(byMessage, this.#turns, this.#result ?? 0)
    return counted === 0 ? undefined : counted
  }

  add(text: string): void {
    const lines = (this.#rest + text).split('\n')
    this.#rest = (lines.pop() ?? '').slice(-MAX_LINE)
    for (const line of lines) if (line.includes('_tokens"')) this.#read(line)
  }

  #read(text: string): void {
    let parsed: z.infer<typeof Line>
    try {
      parsed = Line.parse(JSON.parse(text))
    } catch {
      // Not a line of ours to understand; agents print all sorts of things.
      return
    }
    // A message is told again with each of its parts, and the last time says it all.
    if (parsed.message !== undefined) this.#messages.set(parsed.message.id, tokensOf(parsed.message.usage))
    if (parsed.usage === undefined) return
    if (parsed.type === 'result') this.#result = tokensOf(parsed.usage)
    else this.#turns += tokensOf(parsed.usage)
  }
}
