import type { JsonObject } from '../../kernel/json-shape.ts'
import { hookCommand, launcherHooksPiece } from './launcher-hooks.ts'
import type { EntryPiece } from '../contract/settings-edit.ts'
import type { SetupWorld } from '../contract/setup.ts'

export interface EntryCommands {
  readonly harness: string
  readonly world: SetupWorld
  readonly path: string
  /** The names that we give the calls of one hook, by the harness's name for it, and what its entries alone hold. */
  readonly hooks: readonly (readonly [hook: string, ours: readonly string[], own?: JsonObject])[]
  /** What an entry holds beside its command. */
  readonly extra: JsonObject
  readonly defaults?: JsonObject
  readonly owner?: string
}

/** The hooks of a harness that lists plain entries, without groups: `"event": [{ "command": … }]`. */
export function entryCommandsPiece(options: EntryCommands): EntryPiece {
  const { harness, world, path, extra, defaults, owner } = options
  const entries = options.hooks.map(([hook, ours, own = {}]): [string, readonly JsonObject[]] => [
    hook,
    ours.map((name) => ({ command: hookCommand(harness, world, name), ...own, ...extra })),
  ])
  return launcherHooksPiece(harness, {
    path,
    owner,
    hooks: new Map(entries.flatMap(([hook, [first]]) => (first === undefined ? [] : [[hook, first] as const]))),
    more: new Map(entries.filter(([, all]) => all.length > 1).map(([hook, all]) => [hook, all.slice(1)] as const)),
    ...(defaults === undefined ? {} : { defaults }),
  })
}
