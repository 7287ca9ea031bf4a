import type { ContextLimits } from '../../../kernel/context-bands.ts'
import type { AutosaveConfig } from '../../../kernel/config.ts'
import type { Governance } from '../../files/governance-config.ts'

/** S2: a session of a model that nobody knows is taken for one with this window. */
const DEFAULT_WINDOW = 200_000
const DEFAULT_SOFT_CAP = 80
const DEFAULT_REFRESH = 50_000

function numberIn(value: unknown, { min, max }: { min: number; max: number }): number | undefined {
  return typeof value === 'number' && value >= min && value <= max ? value : undefined
}

/** `packOptions["session-continuity"]` of the project first, then the configuration, then what is known of the model. */
export function contextLimits(
  { options }: Pick<Governance, 'options'>,
  autosave: AutosaveConfig,
  knownWindow: number | undefined,
): ContextLimits {
  return {
    windowTokens:
      numberIn(options.contextWindow, { min: 1_000, max: 100_000_000 }) ??
      (autosave.contextWindowTokens || knownWindow || DEFAULT_WINDOW),
    percent: {
      buffer: autosave.bufferPercent,
      autosave: autosave.contextPercent,
      fork: numberIn(options.softCapPct, { min: 1, max: 100 }) ?? DEFAULT_SOFT_CAP,
    },
    refreshEveryTokens: numberIn(options.refreshEveryTokens, { min: 1_000, max: 100_000_000 }) ?? DEFAULT_REFRESH,
  }
}
