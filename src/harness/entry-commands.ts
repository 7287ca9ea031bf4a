import { existsSync } from 'node:fs'
import { type JsonObject, objectOf, textOf } from './json-shape.ts'
import { harnessOfCommand, homeOfCommand, launcherCommand, withHook } from './launcher-command.ts'
import type { EntryPiece } from './piece.ts'
import { hookListPiece } from './pieces/hook-list.ts'
import { PROBE_HOOK, type Probe, type SetupWorld } from './setup.ts'

export interface EntryCommands {
  readonly harness: string
  readonly world: SetupWorld
  readonly path: string
  /** The names that we give the calls of one hook, by the harness's name for it. */
  readonly hooks: readonly (readonly [hook: string, ours: readonly string[]])[]
  /** What an entry holds beside its command. */
  readonly extra: JsonObject
  readonly defaults?: JsonObject
}

/** The hooks of a harness that lists plain entries, without groups: `"event": [{ "command": … }]`. */
export function entryCommandsPiece(options: EntryCommands): EntryPiece {
  const { harness, world, path, extra, defaults } = options
  const command = (hook: string) =>
    launcherCommand({
      harness,
      hook,
      distDir: world.distDir,
      // The shell that runs the command is the harness's child.
      pidVariable: 'PPID',
      nodePath: world.nodePath,
      platform: world.platform,
      exists: existsSync,
      ...(world.env.HOLDFAST_HOME ? { holdfastHome: world.home.root } : {}),
    })
  const entries = options.hooks.map(([hook, ours]): [string, readonly JsonObject[]] => [
    hook,
    ours.map((name) => ({ command: command(name), ...extra })),
  ])
  const list = {
    path,
    hooks: new Map(entries.flatMap(([hook, [first]]) => (first === undefined ? [] : [[hook, first] as const]))),
    more: new Map(entries.filter(([, all]) => all.length > 1).map(([hook, all]) => [hook, all.slice(1)] as const)),
    isOurs: (entry: unknown) => harnessOfCommand(textOf(objectOf(entry).command) ?? '') === harness,
    ...(defaults === undefined ? {} : { defaults }),
  }
  const bare = hookListPiece(list)
  const commandsIn = (text: string) =>
    [...bare.find(text).values()].flat().flatMap((entry) => textOf(objectOf(entry).command) ?? [])
  return hookListPiece({
    ...list,
    reach: {
      findHome: (text) =>
        commandsIn(text)
          .map(homeOfCommand)
          .find((home) => home !== undefined),
      findHttp: () => undefined,
      probes: (text) =>
        [...new Set(commandsIn(text).map((line) => withHook(line, PROBE_HOOK)))].map(
          (line): Probe => ({ way: 'command', command: line }),
        ),
    },
  })
}
