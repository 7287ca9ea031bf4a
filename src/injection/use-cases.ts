import type { SessionKey } from '../kernel/id.ts'
import type { Injection, InjectionRequest, InjectionText } from '../kernel/injection.ts'
import type { Session } from '../kernel/session.ts'
import type { ConsideredPrompt } from '../memory/prompt/prompt-memories.ts'

export interface Explanation {
  readonly session: Session
  readonly injections: readonly Injection[]
  /** Of the latest prompts, newest first: what was found for them and why it was or was not shown. */
  readonly prompts: readonly ConsideredPrompt[]
}

/** What is injected at a hook, and the record of it. */
export interface InjectionUseCases {
  /** What to put before the agent because of an event that was recorded; undefined means nothing, which is usual. */
  inject(request: InjectionRequest): Promise<InjectionText | undefined>
  /** Puts an injection on the ledger once it has left for the harness. Until then it stays owed, and the next chance tries again. */
  confirmInjection(injection: Injection): Promise<void>
  /** What was put before a session's agent and why. Without a key: the newest session with an injection. */
  explain(input: { readonly sessionKey?: SessionKey; readonly cwd?: string }): Promise<Explanation>
}
