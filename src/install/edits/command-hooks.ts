import type { JsonObject } from '../../kernel/json-shape.ts'
import { hookCommand, launcherHooksPiece } from './launcher-hooks.ts'
import type { EntryPiece } from '../contract/settings-edit.ts'
import type { SetupWorld } from '../contract/setup.ts'

export interface CommandHook {
  readonly hook: string
  /** In the unit that the harness counts in. */
  readonly timeout?: number
  /** What the launcher is told, where it is not the hook's own name. */
  readonly word?: string
  /** Which tools, or which trigger, it is about; all where absent. */
  readonly matcher?: string
}

export interface CommandHooks {
  readonly harness: string
  readonly world: SetupWorld
  readonly path: string
  readonly hooks: readonly CommandHook[]
  /** What an entry holds beside type, command and timeout. */
  readonly extra?: JsonObject
  readonly owner?: string
}

/** The hooks of a harness that can only run commands, and writes them in groups as Claude Code does. */
export function commandHooksPiece({ harness, world, path, hooks, extra = {}, owner }: CommandHooks): EntryPiece {
  const groupOf = ({ hook, timeout, matcher, word = hook }: CommandHook): JsonObject => ({
    ...(matcher === undefined ? {} : { matcher }),
    hooks: [
      {
        type: 'command',
        ...extra,
        command: hookCommand(harness, world, word),
        ...(timeout === undefined ? {} : { timeout }),
      },
    ],
  })
  const groups = hooks.map((hook): [string, JsonObject] => [hook.hook, groupOf(hook)])
  return launcherHooksPiece(harness, { path, owner, hooks: new Map(groups) })
}
