/** A message that waits in Claude Code's queue, and whether the agent did something meanwhile. */
interface QueuedPrompt {
  readonly prompt: string
  hasWorkedSince: boolean
}

const MAX_WAITING = 50

/**
 * The messages that a user sent while the agent worked. Claude Code records only that one was added, was taken as the next
 * prompt (`dequeue`, then the prompt itself follows) or was shown to the agent in the middle of its turn (`remove`; since
 * 2.1 the record of that precedes it).
 */
export class PromptQueue {
  private waiting: QueuedPrompt[] = []
  private shown = 0
  private hasWorked = false

  add(prompt: string): void {
    this.waiting = [...this.waiting, { prompt, hasWorkedSince: false }].slice(-MAX_WAITING)
  }

  noteWork(): void {
    this.hasWorked = true
    for (const message of this.waiting) message.hasWorkedSince = true
  }

  /** A prompt that is recorded: returns whether it waited while the agent worked. */
  take(prompt: string): boolean {
    const index = this.waiting.findIndex((message) => message.prompt === prompt)
    const [taken] = index < 0 ? [] : this.waiting.splice(index, 1)
    return taken?.hasWorkedSince === true
  }

  /** A message that was shown to the agent, and is recorded as such. */
  show(prompt: string): void {
    this.take(prompt)
    this.shown += 1
  }

  /** Returns the message that was shown to the agent without a record of its own; undefined when there is none. */
  remove(reason: string | undefined): string | undefined {
    if (this.shown > 0) {
      this.shown -= 1
      return undefined
    }
    const oldest = this.waiting.shift()
    return reason === undefined || reason === 'absorbed_mid_turn' ? oldest?.prompt : undefined
  }

  /** The user took all of them back. */
  clear(): void {
    this.waiting = []
  }

  /** Removes and returns the entries that the agent has not read yet. The first prompt of a session waits too, for a moment, but not for the agent. */
  takeAll(): readonly string[] {
    const left = this.waiting.splice(0)
    return this.hasWorked ? left.map((message) => message.prompt) : []
  }
}
