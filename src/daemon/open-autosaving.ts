import type { ContinuityEngine } from '../core/continuity/create.ts'
import type { ContinuityDeps } from '../core/continuity/deps.ts'
import { type Autosaving, createAutosaving } from '../core/named-checkpoint/autosaving.ts'
import { connectors } from '../harness/registry.ts'
import { createCheckpointFiles } from '../named-checkpoint/checkpoint-files.ts'
import type { Home } from '../platform/home.ts'

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
