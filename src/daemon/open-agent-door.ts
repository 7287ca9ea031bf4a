import type { AgentDoor } from '../core/agent-door.ts'
import { createAgentDoor } from '../core/agent-door/create.ts'
import { noChecklists, noCodemap } from '../core/agent-door/nothing-there.ts'
import type { ContinuityEngine } from '../core/continuity/create.ts'
import type { ContinuityDeps } from '../core/continuity/deps.ts'
import { connectors } from '../harness/registry.ts'
import { createGitHistory } from '../platform/git-history.ts'
import { realPathOfMaybeGone } from '../platform/places.ts'
import { createPieces } from '../storage/pieces.ts'

export interface AgentDoorOptions {
  readonly deps: ContinuityDeps
  readonly engine: ContinuityEngine
  readonly piecesFile?: string | undefined
}

/** The agent's door on the same world as the spine. */
export function openAgentDoor({ deps, engine, piecesFile }: AgentDoorOptions): AgentDoor {
  return createAgentDoor({
    ...deps,
    continuity: {
      record: (event) => engine.record(event),
      async bringUpToDate({ id, phase }) {
        await engine.checkpoint(id, phase === 'ended' ? 'session_end' : 'interrupted')
      },
    },
    history: createGitHistory(),
    realPath: realPathOfMaybeGone,
    checklists: noChecklists,
    codemap: noCodemap,
    longTermMemory: createPieces({ file: piecesFile, log: deps.log }),
    expectedHooks: connectors.flatMap(({ id, hooks }) => hooks.map((hook) => ({ harness: id, ...hook }))),
  })
}
