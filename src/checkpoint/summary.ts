import type { UserRequest, FileWork, WorkSummary } from '../kernel/checkpoint.ts'
import { listCurrentChecks } from './checks/checks.ts'
import { listInFlight, NOTHING_IN_FLIGHT } from './in-flight/fold-in-flight.ts'
import { judgeClaims } from './work/claims.ts'
import type { WorkState } from './work/state.ts'

const MAX_FILES = 60
const MAX_COMMANDS = 30
const MAX_ERRORS = 12

function byOrder<T extends { readonly lastOrder: number }>(items: readonly T[]): readonly T[] {
  return items.toSorted((a, b) => a.lastOrder - b.lastOrder)
}

function listFiles(state: WorkState, hashes: ReadonlyMap<string, string>): readonly FileWork[] {
  return byOrder(state.files)
    .slice(-MAX_FILES)
    .map(({ path, action, reads, edits, lastOrder, lastEditOrder }) => {
      const contentHash = hashes.get(path)
      return {
        path,
        action,
        reads,
        edits,
        lastOrder,
        ...(lastEditOrder === 0 ? {} : { lastEditOrder }),
        ...(contentHash === undefined ? {} : { contentHash }),
      }
    })
}

/** The first request always stays: it is what the session set out to do. */
function listRequests(state: WorkState): readonly UserRequest[] {
  const { firstAsk, asks } = state
  if (firstAsk === undefined || asks.some((request) => request.order === firstAsk.order)) return asks
  return [firstAsk, ...asks.slice(-19)]
}

/** The state as a checkpoint stores it. */
export function toSummary(state: WorkState, hashes: ReadonlyMap<string, string> = new Map()): WorkSummary {
  return {
    asks: listRequests(state),
    files: listFiles(state, hashes),
    commands: byOrder(state.commands)
      .slice(-MAX_COMMANDS)
      .map(({ command, purpose, ok, exitStatus, runs, failures, lastOrder }) => ({
        command,
        purpose,
        ok,
        ...(exitStatus === undefined ? {} : { exitStatus }),
        runs,
        failures,
        lastOrder,
      })),
    tests: state.tests,
    decisions: state.decisions,
    errors: byOrder(state.errors).slice(-MAX_ERRORS),
    todos: state.todos,
    ...(state.todosOrder === undefined ? {} : { todosOrder: state.todosOrder }),
    ...(state.plan?.title === undefined ? {} : { plan: state.plan.title }),
    blockers: state.blockers,
    refs: state.refs,
    statements: state.statements,
    failedApproaches: state.failedApproaches.map((approach) => approach.text),
    claims: judgeClaims(state),
    checks: listCurrentChecks(state.checks ?? []),
    commits: state.commits ?? [],
    inFlight: listInFlight(state.inFlight ?? NOTHING_IN_FLIGHT),
    ...(state.lastPushOrder === undefined ? {} : { lastPushOrder: state.lastPushOrder }),
    ...(state.pullRequest === undefined ? {} : { pullRequest: state.pullRequest }),
    dialogue: state.dialogue?.messages ?? [],
    steps: state.steps ?? [],
    ...(state.edits === undefined ? {} : { edits: state.edits }),
    ...(state.gitStatus === undefined ? {} : { gitStatus: state.gitStatus }),
    ...(state.merge === undefined ? {} : { merge: state.merge }),
    ...(state.lastEditOrder === 0 ? {} : { lastEditOrder: state.lastEditOrder }),
    lastOrder: state.order,
  }
}
