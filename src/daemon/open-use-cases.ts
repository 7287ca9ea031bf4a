import type { AgentDoor } from '../core/agent-door.ts'
import { createAgentDoor } from '../core/agent-door/create.ts'
import { createEditWarning } from '../core/agent-door/edit-warning.ts'
import { type ContinuityEngine, createContinuity } from '../core/continuity/create.ts'
import type { ContinuityDeps } from '../core/continuity/deps.ts'
import { type Autosaving, createAutosaving } from '../core/named-checkpoint/autosaving.ts'
import { connectors } from '../harness/registry.ts'
import { createCheckpointFiles } from '../named-checkpoint/checkpoint-files.ts'
import { createGitHistory } from '../platform/git-history.ts'
import type { Home } from '../platform/home.ts'
import { realPathOfMaybeGone } from '../platform/places.ts'
import { createPieces } from '../storage/pieces.ts'
import { createProjectChecklists } from './project-checklists.ts'
import { createProjectCodemap } from './project-codemap.ts'

export interface UseCaseOptions {
  readonly home: Home
  readonly piecesFile?: string | undefined
}

function openAgentDoor(
  deps: ContinuityDeps,
  engine: ContinuityEngine,
  { home, piecesFile }: UseCaseOptions,
): AgentDoor {
  return createAgentDoor({
    ...deps,
    continuity: {
      record: (event) => engine.record(event),
      async bringUpToDate({ id, phase }) {
        await engine.checkpoint(id, phase === 'ended' ? 'session_end' : 'interrupted')
      },
      checkpoint: (sessionId, trigger) => engine.checkpoint(sessionId, trigger),
    },
    history: createGitHistory(),
    realPath: realPathOfMaybeGone,
    checklists: createProjectChecklists({ ...deps, home }),
    checkpointFiles: createCheckpointFiles({ ...deps, home }),
    codemap: createProjectCodemap(),
    longTermMemory: createPieces({ file: piecesFile, log: deps.log }),
    expectedHooks: connectors.flatMap(({ id, hooks }) => hooks.map((hook) => ({ harness: id, ...hook }))),
  })
}

function openAutosaving(deps: ContinuityDeps, spine: ContinuityEngine, { home }: UseCaseOptions): Autosaving {
  return createAutosaving({
    ...deps,
    files: createCheckpointFiles({ ...deps, home }),
    checkpoint: (sessionId, trigger) => spine.checkpoint(sessionId, trigger),
    contextWindowOf: ({ harness, model }) => connectors.find(({ id }) => id === harness)?.contextWindowTokens?.(model),
  })
}

/** The spine and the agent's door on one world. What a hook may say before an edit, the door knows. */
export function openUseCases(
  deps: ContinuityDeps,
  options: UseCaseOptions,
): { readonly engine: ContinuityEngine; readonly door: AgentDoor } {
  const spine = createContinuity({
    ...deps,
    forgetsInjections: (harness) => connectors.find(({ id }) => id === harness)?.capabilities.forgetsInjections === true,
  })
  const door = openAgentDoor(deps, spine, options)
  const warnBeforeEdit = createEditWarning(deps, door)
  const autosaving = openAutosaving(deps, spine, options)
  const engine: ContinuityEngine = {
    ...spine,
    async record(event) {
      const recorded = await spine.record(event)
      if (recorded.isNew) autosaving.follow(event, recorded.session)
      return recorded
    },
    async recordAll(events) {
      const recorded = await spine.recordAll(events)
      recorded.forEach(({ isNew, session }, index) => {
        const event = events[index]
        if (isNew && event !== undefined) autosaving.follow(event, session)
      })
      return recorded
    },
    async tick() {
      await spine.tick()
      await autosaving.tick()
    },
    async drain() {
      await autosaving.drain()
      await spine.drain()
    },
    inject: async (request) =>
      request.event.kind === 'tool-started' ? warnBeforeEdit(request) : spine.inject(request),
  }
  return { engine, door }
}
