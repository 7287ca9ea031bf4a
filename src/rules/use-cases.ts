import type { Rule } from '../kernel/rule.ts'

export interface AddRuleInput {
  readonly text: string
  readonly cwd: string
  /** By an agent: it waits until a person confirms it. */
  readonly isProposal?: boolean
}

export interface ChangeRuleInput {
  /** Whole, or a beginning that only one rule of the project has. */
  readonly id: string
  readonly cwd: string
  readonly text?: string
  readonly state?: 'active' | 'retired'
}

/** Rules that users gave. For people: an agent may only list and propose them. */
export interface RuleUseCases {
  /** Newest first; those in force and those proposed, unless retired ones are wanted too. */
  listRules(input: { readonly cwd: string; readonly includeRetired?: boolean }): Promise<readonly Rule[]>
  /** The same text as a rule in force returns that one. */
  addRule(input: AddRuleInput): Promise<Rule>
  /** Refuses an unknown or ambiguous id. */
  changeRule(input: ChangeRuleInput): Promise<Rule>
}
