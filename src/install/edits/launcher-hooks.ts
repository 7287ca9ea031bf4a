import { existsSync } from 'node:fs'
import { asObject, asText, type JsonObject } from '../../kernel/json-shape.ts'
import {
  findHarnessInCommand,
  findHomeInCommand,
  findHookInCommand,
  launcherCommand,
  withHook,
} from './launcher-command.ts'
import type { EntryEdit } from '../contract/settings-edit.ts'
import { type HookList, hookListEdit } from './hook-list.ts'
import { PROBE_HOOK, type Probe, type SetupPorts, type HookReach } from '../contract/setup.ts'

const HOME = /"home":\s*("(?:[^"\\]|\\.)*")/

function readHome(text: string): string | undefined {
  const literal = HOME.exec(text)?.[1]
  if (literal === undefined) return undefined
  const home: unknown = JSON.parse(literal)
  return typeof home === 'string' ? home : undefined
}

/** How a plugin inside its harness reaches us: probed with the launcher's command, which the plugin uses when the daemon is down. */
export function pluginReach(harness: string, ports: SetupPorts, findHome: HookReach['findHome'] = readHome): HookReach {
  return {
    findHome,
    findHttp: () => undefined,
    probes(text) {
      const home = findHome(text)
      const command = launcherCommand({
        harness,
        hook: PROBE_HOOK,
        distDir: ports.distDir,
        nodePath: ports.nodePath,
        platform: ports.platform,
        exists: existsSync,
        ...(home === undefined ? {} : { holdfastHome: home }),
      })
      return [{ way: 'command', command }]
    },
  }
}

export interface EntryCommands {
  readonly harness: string
  readonly ports: SetupPorts
  readonly path: string
  /** For each of the harness's hooks: the words that name its calls for the launcher, and fields for its entries alone. */
  readonly hooks: readonly (readonly [hook: string, ours: readonly string[], own?: JsonObject])[]
  /** Fields of an entry beside its command. */
  readonly extra: JsonObject
  readonly defaults?: JsonObject
  readonly owner?: string
}

/** The hooks of a harness that lists plain entries, without groups: `"event": [{ "command": … }]`. */
export function entryCommandsEdit(options: EntryCommands): EntryEdit {
  const { harness, ports, path, extra, defaults, owner } = options
  const entries = options.hooks.map(([hook, ours, own = {}]): [string, readonly JsonObject[]] => [
    hook,
    ours.map((name) => ({ command: hookCommand(harness, ports, name), ...own, ...extra })),
  ])
  return launcherHooksEdit(harness, {
    path,
    owner,
    hooks: new Map(entries.flatMap(([hook, [first]]) => (first === undefined ? [] : [[hook, first] as const]))),
    more: new Map(entries.filter(([, all]) => all.length > 1).map(([hook, all]) => [hook, all.slice(1)] as const)),
    ...(defaults === undefined ? {} : { defaults }),
  })
}

export interface CommandHook {
  readonly hook: string
  /** In the unit of the harness. */
  readonly timeout?: number
  /** The hook's name for the launcher, where it differs. */
  readonly word?: string
  /** The tools, or the trigger, it applies to; all where absent. */
  readonly matcher?: string
}

export interface CommandHooks {
  readonly harness: string
  readonly ports: SetupPorts
  readonly path: string
  readonly hooks: readonly CommandHook[]
  /** Fields of an entry beside type, command and timeout. */
  readonly extra?: JsonObject
  readonly owner?: string
}

/** The hooks of a harness that writes commands in groups, as Claude Code does. */
export function commandHooksEdit({ harness, ports, path, hooks, extra = {}, owner }: CommandHooks): EntryEdit {
  const toHookGroup = ({ hook, timeout, matcher, word = hook }: CommandHook): JsonObject => ({
    ...(matcher === undefined ? {} : { matcher }),
    hooks: [
      {
        type: 'command',
        ...extra,
        command: hookCommand(harness, ports, word),
        ...(timeout === undefined ? {} : { timeout }),
      },
    ],
  })
  const groups = hooks.map((hook): [string, JsonObject] => [hook.hook, toHookGroup(hook)])
  return launcherHooksEdit(harness, { path, owner, hooks: new Map(groups) })
}

/** The command that a harness runs for one hook, in a shell that is the harness's child. */
export function hookCommand(harness: string, ports: SetupPorts, hook: string): string {
  return launcherCommand({
    harness,
    hook,
    distDir: ports.distDir,
    pidVariable: 'PPID',
    nodePath: ports.nodePath,
    platform: ports.platform,
    exists: existsSync,
    ...(ports.env.HOLDFAST_HOME ? { holdfastHome: ports.home.root } : {}),
  })
}

/** A list of hooks whose innermost entries contain only our launcher's command. `owner` separates the entries of one descriptor from another's. */
function launcherHooksEdit(
  harness: string,
  { owner, ...list }: Omit<HookList, 'isOurs'> & { readonly owner?: string | undefined },
): EntryEdit {
  const own = {
    ...list,
    isOurs(entry: unknown) {
      const command = asText(asObject(entry).command) ?? ''
      if (findHarnessInCommand(command) !== harness) return false
      return owner === undefined || findHookInCommand(command)?.startsWith(`${owner}.`) === true
    },
  }
  const bare = hookListEdit(own)
  const commandsIn = (text: string) =>
    [...bare.find(text).values()].flat().flatMap((entry) => asText(asObject(entry).command) ?? [])
  return hookListEdit({
    ...own,
    reach: {
      findHome: (text) =>
        commandsIn(text)
          .map(findHomeInCommand)
          .find((home) => home !== undefined),
      findHttp: () => undefined,
      probes: (text) =>
        [...new Set(commandsIn(text).map((line) => withHook(line, PROBE_HOOK)))].map(
          (line): Probe => ({ way: 'command', command: line }),
        ),
    },
  })
}
