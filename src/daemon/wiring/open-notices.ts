import { findChecklist } from '../../agent-api/checklist/io/checklist-file.ts'
import type { LocalAgentApi } from '../../app/agent-api.ts'
import { createEditWarning } from '../../injection/edit-warning.ts'
import type { InjectionSource } from '../../injection/injection-policy.ts'
import { createStartNotice, type StartNotice } from '../../injection/start-notice.ts'
import type { ContinuityPorts } from '../../kernel/ports/runtime.ts'

/** The notices that need what agents recorded: intents, the checklist, named checkpoints. */
export function openNotices(
  ports: ContinuityPorts,
  agentApi: LocalAgentApi,
): { readonly warnBeforeEdit: InjectionSource; readonly startNotice: StartNotice } {
  return {
    warnBeforeEdit: createEditWarning(ports, agentApi),
    startNotice: createStartNotice(ports, {
      listItems: (worktree) => findChecklist(worktree)?.items ?? [],
      listNamed: (worktree) => agentApi.listNamed({ cwd: worktree }),
    }),
  }
}
