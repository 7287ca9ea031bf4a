import { existsSync } from 'node:fs'
import { objectOf, textOf } from '../../kernel/json-shape.ts'
import { harnessOfCommand, homeOfCommand, hookOfCommand, launcherCommand, withHook } from './launcher-command.ts'
import type { EntryPiece } from '../contract/settings-edit.ts'
import { type HookList, hookListPiece } from './hook-list.ts'
import { PROBE_HOOK, type Probe, type SetupWorld } from '../contract/setup.ts'

/** The command that a harness runs for one hook; the shell it runs in is the harness's child. */
export function hookCommand(harness: string, world: SetupWorld, hook: string): string {
  return launcherCommand({
    harness,
    hook,
    distDir: world.distDir,
    pidVariable: 'PPID',
    nodePath: world.nodePath,
    platform: world.platform,
    exists: existsSync,
    ...(world.env.HOLDFAST_HOME ? { holdfastHome: world.home.root } : {}),
  })
}

/** A list of hooks whose innermost entries hold nothing but our launcher's command, and how it is reached through them. `owner` tells those of one page from another's. */
export function launcherHooksPiece(
  harness: string,
  { owner, ...list }: Omit<HookList, 'isOurs'> & { readonly owner?: string | undefined },
): EntryPiece {
  const own = {
    ...list,
    isOurs(entry: unknown) {
      const command = textOf(objectOf(entry).command) ?? ''
      if (harnessOfCommand(command) !== harness) return false
      return owner === undefined || hookOfCommand(command)?.startsWith(`${owner}.`) === true
    },
  }
  const bare = hookListPiece(own)
  const commandsIn = (text: string) =>
    [...bare.find(text).values()].flat().flatMap((entry) => textOf(objectOf(entry).command) ?? [])
  return hookListPiece({
    ...own,
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
