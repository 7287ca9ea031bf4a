import type { CaptureUseCases } from '../capture/use-cases.ts'
import type { CheckpointUseCases } from '../checkpoint/use-cases.ts'
import type { EraseUseCases, FindUseCases, TeamOverviewUseCases } from '../find/use-cases.ts'
import type { InjectionUseCases } from '../injection/use-cases.ts'
import type { MemoryUseCases } from '../memory/use-cases.ts'
import type { OutcomeUseCases } from '../outcomes/use-cases.ts'
import type { RecoveryUseCases } from '../recovery/use-cases.ts'
import type { TeamWorkUseCases } from '../recovery/choice/team-work.ts'
import type { RuleUseCases } from '../rules/use-cases.ts'
import type { TransferUseCases } from '../transfer/use-cases.ts'

/**
 * The use cases. Every entry point (hook, CLI, MCP, HTTP, dashboard) calls these and adds no rules of its own;
 * the client over the socket implements the same interface and passes the same contract suite.
 */
export interface Continuity
  extends CaptureUseCases,
    CheckpointUseCases,
    RecoveryUseCases,
    TeamWorkUseCases,
    TeamOverviewUseCases,
    InjectionUseCases,
    OutcomeUseCases,
    MemoryUseCases,
    RuleUseCases,
    FindUseCases,
    EraseUseCases,
    TransferUseCases {}
