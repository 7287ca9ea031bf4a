import type { AgentUseCases } from '../agent-api/use-cases.ts'
import type { ChecklistItem, VerifyItemInput } from '../kernel/agent-records.ts'
import type { NamedCheckpoints } from '../named-checkpoint/use-cases.ts'

/** The use cases for agents, over MCP and HTTP. */
export interface AgentApi extends AgentUseCases, NamedCheckpoints {}

/** With the use cases that only an MCP tool may call: they have no HTTP route. */
export interface LocalAgentApi extends AgentApi {
  /** Runs the command and marks the item `verified` if it succeeds. Refuses a command that the user did not allow. */
  verifyItem(input: VerifyItemInput): Promise<ChecklistItem>
}
