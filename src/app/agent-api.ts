import type { AgentUseCases } from '../agent-api/use-cases.ts'
import type { ChecklistItem, VerifyItemInput } from '../kernel/agent-records.ts'
import type { NamedCheckpoints } from '../named-checkpoint/use-cases.ts'

/** Everything that an agent may ask for, over MCP and HTTP alike. */
export interface AgentDoor extends AgentUseCases, NamedCheckpoints {}

/** The daemon's own: what only an agent's tool may ask for, because no route of the HTTP API leads to it. */
export interface LocalAgentDoor extends AgentDoor {
  /** Runs the command and marks the item `verified` when it holds. Refuses a command that the user did not allow. */
  verifyItem(input: VerifyItemInput): Promise<ChecklistItem>
}
