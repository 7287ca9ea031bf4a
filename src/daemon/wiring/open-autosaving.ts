import type { ContinuityApp } from '../../app/create-continuity.ts'
import type { ContinuityPorts } from '../../kernel/ports/runtime.ts'
import { type Autosave, createAutosave } from '../../named-checkpoint/autosave.ts'
import { getContextWindow } from '../../harness/registry.ts'
import { createCheckpointFiles } from '../../named-checkpoint/io/create-checkpoint-files.ts'
import type { Home } from '../../platform/base/home.ts'

/** Writes autosaves: checked for every recorded event and at every tick. */
export function openAutosave(
  deps: ContinuityPorts,
  app: Pick<ContinuityApp, 'checkpoint'>,
  { home }: { readonly home: Home },
): Autosave {
  return createAutosave({
    ...deps,
    files: createCheckpointFiles({ ...deps, home }),
    checkpoint: (sessionId, trigger) => app.checkpoint(sessionId, trigger),
    getContextWindow,
  })
}
