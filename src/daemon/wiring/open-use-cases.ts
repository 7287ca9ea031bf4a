import { openNotices } from './open-notices.ts'
import { type ContinuityApp, createContinuity } from '../../app/create-continuity.ts'
import type { ContinuityPorts } from '../../kernel/ports/runtime.ts'
import { toSessionId } from '../../kernel/id.ts'
import { createInstalledTools, createToolChoice } from '../../install/installation.ts'
import { connectors } from '../../harness/registry.ts'
import { createSessionState } from '../../named-checkpoint/io/session-state.ts'
import { findSandboxedSession } from '../../tasks/context-safety/io/sandbox.ts'
import type { App } from './app.ts'
import { type AgentApiOptions, openAgentApi } from './open-agent-api.ts'
import { openAutosave } from './open-autosaving.ts'
import { type DigestRunOptions, openDigestRequest, openDigestRuns } from './open-digest-runs.ts'
import { openContextSafety } from './open-context-safety.ts'
import { openTasks } from './open-tasks.ts'
import { createVerificationGate } from '../../agent-api/checklist/io/verification-gate.ts'

export interface UseCaseOptions extends Omit<AgentApiOptions, 'allowVerification'>, DigestRunOptions {
  /** May name another memory backend for tasks. */
  readonly env?: NodeJS.ProcessEnv
  /** `safety.probe`. */
  readonly safetyProbe?: string
  /** `tasks.memoryUrl`. */
  readonly memoryUrl?: string
  /** `checklist.verifyOverMcp`; none by default. */
  readonly allowedVerifications?: readonly string[]
  /** `mcp.tools`. */
  readonly tools?: Parameters<typeof createToolChoice>[0]
}

/** Wires the use cases: the event pipeline, the injection policy, the agent API and the governed tasks. */
export function openUseCases(
  deps: ContinuityPorts,
  options: UseCaseOptions,
): Pick<App, 'continuity' | 'agentApi' | 'tasks' | 'findRefusal' | 'findDegradedTask' | 'chooseTools'> {
  const toolsInstalled = createInstalledTools(options.home)
  const hasTools = (harness: string, worktree: string) =>
    connectors.find(({ id }) => id === harness)?.capabilities.mcpTools === true &&
    toolsInstalled(harness, worktree) !== false
  const app: ContinuityApp = createContinuity(
    {
      ...deps,
      forgetsInjections: (harness) =>
        connectors.find(({ id }) => id === harness)?.capabilities.forgetsInjections === true,
      hasTools,
      sessionState: createSessionState(deps.redactors),
    },
    {
      subscribers: {
        autosave: (event, { session }) => autosaving.onEvent(event, session),
        'task-watch': (event, { session }) => watch.onEvent(event, session),
        'context-safety': (event, { session }) => contextSafety.onEvent(event, session),
      },
      sources: {
        'sandbox-refusal': (offer) => contextSafety.refuseTool(offer),
        'edit-warning': (offer) => notices.warnBeforeEdit(offer),
        'digest-request': openDigestRequest({ ...deps, hasTools }),
        'fork-notice': (offer) => contextSafety.offerFork(offer),
      },
      startNotice: (...args) => notices.startNotice(...args),
    },
  )
  const autosaving = openAutosave(deps, app, options)
  const { tasks, watch, taskPorts } = openTasks(deps, app, options.env ?? {}, {
    probe: options.safetyProbe ?? '',
    memoryUrl: options.memoryUrl ?? '',
  })
  const findDegradedTask = async () => {
    await watch.load()
    return (await findSandboxedSession(taskPorts, watch.listLinks()))?.slug
  }
  const allowVerification = createVerificationGate({
    allowed: options.allowedVerifications ?? [],
    configFile: options.home.configFile,
    findDegradedTask,
  })
  const stopDigests = openDigestRuns(deps, app, options)
  const agentApi = openAgentApi(deps, app, { ...options, allowVerification })
  const notices = openNotices(deps, agentApi)
  const contextSafety = openContextSafety(deps, app, { taskPorts, watch })
  const engine: ContinuityApp = {
    ...app,
    async tick() {
      await watch.load()
      await app.tick()
      await autosaving.tick()
      await watch.tick()
    },
    async drain() {
      await stopDigests()
      await autosaving.drain()
      await watch.drain()
      await contextSafety.drain()
      await app.drain()
    },
  }
  return {
    continuity: engine,
    agentApi,
    tasks,
    findDegradedTask,
    chooseTools: createToolChoice(options.tools ?? 'auto', options.home),
    findRefusal: ({ harness, sessionKey }) => watch.findRefusal(toSessionId(harness, sessionKey)),
  }
}
