/** What the scripted model does at one request of a turn. */
export type Step =
  | {
      readonly kind: 'tool'
      readonly tool: string
      readonly input: Readonly<Record<string, unknown>>
      readonly contextTokens?: number
    }
  | { readonly kind: 'say'; readonly text: string; readonly contextTokens?: number }
  | { readonly kind: 'error'; readonly status: number }

/** Why the client asked: a turn of the agent, a summary for a compaction, or something of its own (a title, a topic). */
export type Purpose = 'turn' | 'summary' | 'side'

/** A model request in no protocol's words. */
export interface Asked {
  /** The client's own session id, if the request contains it. */
  readonly conversation: string | undefined
  readonly purpose: Purpose
  /** What the user said, oldest first; nothing that the client or a hook put in. */
  readonly userTexts: readonly string[]
  /** Every text that reached the model, in order: system, messages, tool results. */
  readonly seen: string
}

export const SUMMARY = 'SCRIPTED-SUMMARY of the conversation so far.'
export const UNSCRIPTED = 'UNSCRIPTED: no script was given for this prompt.'
/** How the excerpt for `digest.command` begins. Its writer has no tools, like a client's own side questions. */
export const WRITER_REQUEST = 'Write a handoff'
const FINISHED = 'SCRIPT-FINISHED'

export function callTool(
  tool: string,
  input: Readonly<Record<string, unknown>>,
  usage: { readonly contextTokens?: number } = {},
): Step {
  return { kind: 'tool', tool, input, ...usage }
}

export function say(text: string, usage: { readonly contextTokens?: number } = {}): Step {
  return { kind: 'say', text, ...usage }
}

export function failWith(status: number): Step {
  return { kind: 'error', status }
}

interface Script {
  readonly prompt: string
  readonly steps: readonly Step[]
  played: number
}

/**
 * Plays a script when its prompt is asked. Scripts stay out of the prompt on purpose: whatever a prompt says
 * is recorded and recovered, so a script inside it would put the names of tools and files there by itself.
 */
export class ModelScript {
  /** What a compaction is answered with. */
  summary = SUMMARY
  readonly #scripts: Script[] = []
  readonly #current = new Map<string, Script>()

  onPrompt(prompt: string, steps: readonly Step[]): void {
    this.#scripts.push({ prompt, steps, played: 0 })
  }

  next(asked: Asked): Step {
    if (asked.purpose === 'summary') return say(`<summary>\n${this.summary}\n</summary>`)
    const isWriter = asked.userTexts.some((text) => text.startsWith(WRITER_REQUEST))
    if (asked.purpose === 'side' && !isWriter) return say(JSON.stringify({ title: 'scripted title' }))
    const script = this.#scriptFor(asked)
    if (script === undefined) return say(UNSCRIPTED)
    if (asked.conversation !== undefined) this.#current.set(asked.conversation, script)
    const step = script.steps[script.played]
    if (step === undefined) return say(FINISHED)
    // Clients try again, some in another way: a script that ends in an error goes on failing.
    const isLast = script.played === script.steps.length - 1
    if (!(step.kind === 'error' && isLast)) script.played += 1
    return step
  }

  /** A compaction may take the prompt away in the middle of its turn: then the conversation's script goes on. */
  #scriptFor(asked: Asked): Script | undefined {
    for (const text of asked.userTexts.toReversed()) {
      // The excerpt for a writer quotes earlier prompts, and begins with its own.
      const script =
        this.#scripts.findLast(({ prompt }) => text.startsWith(prompt)) ??
        this.#scripts.findLast(({ prompt }) => text.includes(prompt))
      if (script !== undefined) return script
    }
    return asked.conversation === undefined ? undefined : this.#current.get(asked.conversation)
  }
}
