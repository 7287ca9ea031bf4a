import { existsSync } from 'node:fs'
import { type JsonObject, objectOf, textOf } from './json-shape.ts'
import { harnessOfCommand, homeOfCommand, launcherCommand, withHook } from './launcher-command.ts'
import type { EntryPiece } from './piece.ts'
import { hookListPiece } from './pieces/hook-list.ts'
import { PROBE_HOOK, type Probe, type SetupWorld } from './setup.ts'

export interface CommandHook {
  readonly hook: string
  /** In the unit that the harness counts in. */
  readonly timeout: number
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
}

/** The hooks of a harness that can only run commands, and writes them in groups as Claude Code does. */
export function commandHooksPiece({ harness, world, path, hooks, extra = {} }: CommandHooks): EntryPiece {
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
  const groupOf = ({ hook, timeout, matcher }: CommandHook): JsonObject => ({
    ...(matcher === undefined ? {} : { matcher }),
    hooks: [{ type: 'command', ...extra, command: command(hook), timeout }],
  })
  const list = {
    path,
    hooks: new Map(hooks.map((hook): [string, JsonObject] => [hook.hook, groupOf(hook)])),
    isOurs: (entry: unknown) => harnessOfCommand(textOf(objectOf(entry).command) ?? '') === harness,
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
