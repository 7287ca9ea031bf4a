import { homedir } from 'node:os'
import type { LocalAgentApi } from '../../app/agent-api.ts'
import { createAgentApi } from '../../app/create-agent-api.ts'
import type { ContinuityApp } from '../../app/create-continuity.ts'
import type { ContinuityPorts } from '../../kernel/ports/runtime.ts'
import { connectors } from '../../harness/registry.ts'
import { createCheckpointFiles } from '../../named-checkpoint/io/create-checkpoint-files.ts'
import { createGitHistory } from '../../platform/git/git-queries.ts'
import type { Home } from '../../platform/base/home.ts'
import { resolveRealPath } from '../../platform/locator.ts'
import { createPieces } from '../../storage/pieces-ltm.ts'
import { MISSING_INSPECTOR } from '../../codemap/code-inspector.ts'
import { createProjectChecklists } from '../../agent-api/checklist/io/project-checklists.ts'
import type { VerificationGate } from '../../agent-api/checklist/io/verification-gate.ts'
import { createProjectCodemap } from './local-ports.ts'

export interface AgentApiOptions {
  readonly home: Home
  readonly piecesFile?: () => string | undefined
  readonly allowVerification: VerificationGate
  /** Reads code by syntax tree; absent where the parser's built files are not at hand. */
  readonly inspector?: typeof MISSING_INSPECTOR | undefined
}

/** The agent API on this machine: its files, its git, and the hooks that connectors install. */
export function openAgentApi(
  ports: ContinuityPorts,
  engine: ContinuityApp,
  { home, piecesFile, allowVerification, inspector = MISSING_INSPECTOR }: AgentApiOptions,
): LocalAgentApi {
  return createAgentApi({
    ...ports,
    continuity: {
      record: (event) => engine.recordNote(event),
      async bringUpToDate({ id, phase }) {
        await engine.checkpoint(id, phase === 'ended' ? 'session_end' : 'interrupted')
      },
      checkpoint: (sessionId, trigger) => engine.checkpoint(sessionId, trigger),
      findWork: (cwd) => engine.findWork(cwd),
    },
    history: createGitHistory(),
    realPath: resolveRealPath,
    userHome: homedir(),
    checklists: createProjectChecklists({
      ...ports,
      home,
      allowVerification,
      inspector,
    }),
    checkpointFiles: createCheckpointFiles({ ...ports, home }),
    codemap: createProjectCodemap(),
    longTermMemory: createPieces({ findFile: () => piecesFile?.(), log: ports.log }),
    expectedHooks: connectors.flatMap(({ id, hooks }) => hooks.map((hook) => ({ harness: id, ...hook }))),
  })
}
