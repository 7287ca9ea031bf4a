import { createEditWarning } from '../../injection/edit-warning.ts'
import { type ContinuityEngine, createContinuity } from '../../app/create-continuity.ts'
import type { ContinuityDeps } from '../../kernel/ports/runtime.ts'
import { sessionIdOf } from '../../kernel/id.ts'
import { createInstalledTools } from '../../install/installed-tools.ts'
import { connectors } from '../../harness/registry.ts'
import { createSessionState } from '../../named-checkpoint/io/session-state.ts'
import { findDegraded } from '../../tasks/context-safety/io/refuse-tool.ts'
import type { Backend } from './backend.ts'
import { type AgentDoorOptions, openAgentDoor } from './open-agent-api.ts'
import { openAutosaving } from './open-autosaving.ts'
import { openLongContext } from './open-context-safety.ts'
import { openTasks } from './open-tasks.ts'
import { createVerificationGate } from '../../agent-api/checklist/io/verification-gate.ts'

export interface UseCaseOptions extends Omit<AgentDoorOptions, 'allowVerification'> {
  /** What names another keeper of task memories. */
  readonly env?: NodeJS.ProcessEnv
  /** `safety.probe`. */
  readonly safetyProbe?: string
  /** `checklist.verifyOverMcp`; none unless told. */
  readonly allowedVerifications?: readonly string[]
}

/** The spine and the agent's door on one world. What a hook may say before an edit, the door knows. */
export function openUseCases(
  deps: ContinuityDeps,
  options: UseCaseOptions,
): Pick<Backend, 'engine' | 'door' | 'tasks' | 'refusalOf'> {
  const toolsInstalled = createInstalledTools(options.home)
  const spine = createContinuity({
    ...deps,
    forgetsInjections: (harness) =>
      connectors.find(({ id }) => id === harness)?.capabilities.forgetsInjections === true,
    hasTools: (harness, worktree) =>
      connectors.find(({ id }) => id === harness)?.capabilities.mcpTools === true &&
      toolsInstalled(harness, worktree) !== false,
    sessionState: createSessionState(deps.redactors),
  })
  const autosaving = openAutosaving(deps, spine, options)
  const { tasks, watch, world } = openTasks(
    deps,
    { ...spine, recordAll: (events) => engine.recordAll(events) },
    options.env ?? {},
    options.safetyProbe ?? '',
  )
  const allowVerification = createVerificationGate({
    allowed: options.allowedVerifications ?? [],
    configFile: options.home.configFile,
    async findDegradedTask() {
      await watch.load()
      return (await findDegraded(world, watch.links()))?.slug
    },
  })
  const door = openAgentDoor(deps, spine, { ...options, allowVerification })
  const warnBeforeEdit = createEditWarning(deps, door)
  const longContext = openLongContext(deps, spine, { world, watch })
  const follow: typeof autosaving.follow = (event, session) => {
    autosaving.follow(event, session)
    watch.follow(event, session)
    longContext.follow(event, session)
  }
  const engine: ContinuityEngine = {
    ...spine,
    async record(event) {
      const recorded = await spine.record(event)
      if (recorded.isNew) follow(event, recorded.session)
      return recorded
    },
    async recordAll(events) {
      const recorded = await spine.recordAll(events)
      recorded.forEach(({ isNew, session }, index) => {
        const event = events[index]
        if (isNew && event !== undefined) follow(event, session)
      })
      return recorded
    },
    async tick() {
      await watch.load()
      await spine.tick()
      await autosaving.tick()
      await watch.tick()
    },
    async drain() {
      await autosaving.drain()
      await watch.drain()
      await longContext.drain()
      await spine.drain()
    },
    async inject(request) {
      if (request.event.kind !== 'tool-started')
        return (await spine.inject(request)) ?? (await longContext.inject(request))
      const told = await longContext.inject(request)
      if (told?.isRefusal === true) return told
      return (await warnBeforeEdit(request)) ?? (await spine.inject(request)) ?? told
    },
  }
  return {
    engine,
    door,
    tasks,
    refusalOf: ({ harness, sessionKey }) => watch.refusal(sessionIdOf(harness, sessionKey)),
  }
}
