import type { SessionKey } from '../kernel/id.ts'
import type { Injection, InjectionRequest, InjectionText } from '../kernel/injection.ts'
import type { Session } from '../kernel/session.ts'
import type { ConsideredPrompt } from '../memory/prompt/prompt-memories.ts'

export interface Explanation {
  readonly session: Session
  readonly injections: readonly Injection[]
  /** For the latest prompts, newest first: which memories were found and why they were or were not injected. */
  readonly prompts: readonly ConsideredPrompt[]
}

export interface InjectionUseCases {
  /** What to inject because of a recorded event; usually undefined. */
  inject(request: InjectionRequest): Promise<InjectionText | undefined>
  /** Adds an injection to the ledger once it was sent to the harness. Until then it stays owed, and the next hook tries again. */
  confirmInjection(injection: Injection): Promise<void>
  /** What was injected into a session and why. Without a key: the newest session with an injection. */
  explain(input: { readonly sessionKey?: SessionKey; readonly cwd?: string }): Promise<Explanation>
}
