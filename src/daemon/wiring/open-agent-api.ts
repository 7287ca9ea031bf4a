import { homedir } from 'node:os'
import type { LocalAgentDoor } from '../../app/agent-api.ts'
import { createAgentDoor } from '../../app/create-agent-api.ts'
import type { ContinuityEngine } from '../../app/create-continuity.ts'
import type { ContinuityDeps } from '../../kernel/ports/runtime.ts'
import { connectors } from '../../harness/registry.ts'
import { createCheckpointFiles } from '../../named-checkpoint/io/files.ts'
import { createGitHistory } from '../../platform/git/git-history.ts'
import type { Home } from '../../platform/base/home.ts'
import { realPathOfMaybeGone } from '../../platform/places.ts'
import { createPieces } from '../../storage/pieces-ltm.ts'
import { createProjectChecklists } from '../../agent-api/checklist/io/project-checklists.ts'
import { createProjectCodemap } from './project-codemap.ts'
import type { VerificationGate } from '../../agent-api/checklist/io/verification-gate.ts'

export interface AgentDoorOptions {
  readonly home: Home
  readonly piecesFile?: string | undefined
  readonly allowVerification: VerificationGate
}

/** The agent's door on this machine: its files, its git, and what the connectors install. */
export function openAgentDoor(
  deps: ContinuityDeps,
  engine: ContinuityEngine,
  { home, piecesFile, allowVerification }: AgentDoorOptions,
): LocalAgentDoor {
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
    userHome: homedir(),
    checklists: createProjectChecklists({ ...deps, home, allowVerification }),
    checkpointFiles: createCheckpointFiles({ ...deps, home }),
    codemap: createProjectCodemap(),
    longTermMemory: createPieces({ file: piecesFile, log: deps.log }),
    expectedHooks: connectors.flatMap(({ id, hooks }) => hooks.map((hook) => ({ harness: id, ...hook }))),
  })
}
