import type { ContinuityEngine } from '../../app/create-continuity.ts'
import type { ContinuityDeps } from '../../kernel/ports/runtime.ts'
import { type Autosaving, createAutosaving } from '../../named-checkpoint/autosaving.ts'
import { connectors } from '../../harness/registry.ts'
import { createCheckpointFiles } from '../../named-checkpoint/io/files.ts'
import type { Home } from '../../platform/base/home.ts'

/** Saving into projects by itself: it looks at what the engine records, and at every tick. */
export function openAutosaving(
  deps: ContinuityDeps,
  spine: Pick<ContinuityEngine, 'checkpoint'>,
  { home }: { readonly home: Home },
): Autosaving {
  return createAutosaving({
    ...deps,
    files: createCheckpointFiles({ ...deps, home }),
    checkpoint: (sessionId, trigger) => spine.checkpoint(sessionId, trigger),
    contextWindowOf: ({ harness, model, contextWindowTokens }) =>
      contextWindowTokens ?? connectors.find(({ id }) => id === harness)?.contextWindowTokens?.(model),
  })
}
