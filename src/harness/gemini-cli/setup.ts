import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type CommandHook, commandHooksEdit } from '../../install/edits/launcher-hooks.ts'
import { isProgramThere } from '../../install/installed-program.ts'
import { asList, asObject } from '../../kernel/json-shape.ts'
import type { FileEdit } from '../../install/contract/settings-edit.ts'
import { mcpEntryEdit } from '../../install/edits/json-entry.ts'
import { skillEdits, readSkills, type Skill, fileEdit } from '../../install/edits/own-file.ts'
import { bootstrapEdit, snippetEdit } from '../../install/edits/snippet.ts'
import type { HarnessSetup, Scope, SetupPorts } from '../../install/contract/setup.ts'
import { GEMINI_CLI } from './events.ts'
import { getFolder, instructionsFile, settingsFile, systemFile, userFolder } from './paths.ts'
import { stringify } from 'smol-toml'
import { getValue } from '../../install/edits/json-location.ts'
import { findValue, parseSettings } from '../../install/contract/settings-text.ts'

/** The setting that keeps Gemini CLI from running our hooks: the switch for all hooks, or our name among the disabled ones. */
function findDisablingSetting(text: string, path: string): string | undefined {
  const config = asObject(getValue(findValue(parseSettings(text, path), 'hooksConfig')))
  if (config.enabled === false) return 'hooksConfig.enabled: false'
  const disabled = asList(config.disabled).find((name) => typeof name === 'string' && /\bholdfast\b/i.test(name))
  return disabled === undefined ? undefined : `hooksConfig.disabled: ${JSON.stringify(disabled)}`
}

/** A skill as a command that a person calls: `/holdfast:checkpoint`. */
export function commandText({ description, body }: Skill): string {
  return `${stringify({ description, prompt: `${body.trim()}\n\n{{args}}\n` })}\n`
}

export function commandEdits(ports: SetupPorts, scope: Scope): readonly FileEdit[] {
  return readSkills(ports).map((skill) =>
    fileEdit({
      id: `commands/${skill.name}.toml`,
      kind: 'commands',
      path: join(getFolder(ports, scope), 'commands', 'holdfast', `${skill.name}.toml`),
      content: commandText(skill),
    }),
  )
}

/** The name by which Gemini CLI shows our hooks and lets its user disable them. */
export const HOOK_NAME = 'holdfast'

const CHANGING_TOOLS = '^(?:run_shell_command|write_file|replace|edit|web_fetch|invoke_agent|mcp_.*)$'

/** Timeouts in milliseconds, far above our own deadlines. */
export const GEMINI_HOOKS: readonly CommandHook[] = [
  { hook: 'SessionStart', timeout: 10_000 },
  { hook: 'BeforeAgent', timeout: 5_000 },
  // Only tools that can change something: a tool that only reads is never refused.
  { hook: 'BeforeTool', timeout: 5_000, matcher: CHANGING_TOOLS },
  { hook: 'AfterTool', timeout: 5_000 },
  { hook: 'AfterAgent', timeout: 5_000 },
  // Only what the user asked for: `auto` runs before every model call (0.61).
  { hook: 'PreCompress', timeout: 10_000, matcher: 'manual' },
  { hook: 'SessionEnd', timeout: 5_000 },
]

export const setup: HarnessSetup = {
  id: GEMINI_CLI,
  name: 'Gemini CLI',
  scopes: ['user', 'project'],
  usesHttp: false,
  toolCost: { sends: 'definition', addedPerTool: 284, addedOnce: 0 },
  isPresent: (ports) => existsSync(userFolder(ports)) || isProgramThere(ports, ['gemini']),
  edits: (ports, scope) => [
    commandHooksEdit({
      harness: GEMINI_CLI,
      ports,
      path: settingsFile(ports, scope),
      hooks: GEMINI_HOOKS,
      extra: { name: HOOK_NAME },
    }),
    mcpEntryEdit({ ports, path: settingsFile(ports, scope) }),
    snippetEdit({ path: instructionsFile(ports, scope), ports }),
    ...(scope === 'user'
      ? [bootstrapEdit({ path: instructionsFile(ports, scope), ports, harness: GEMINI_CLI, projectFile: 'GEMINI.md' })]
      : []),
    ...skillEdits({ folder: join(getFolder(ports, scope), 'skills'), ports }),
    ...commandEdits(ports, scope),
  ],
  remainingSteps: (_world, scope) =>
    scope === 'user' ? [] : ['Trust this folder in Gemini CLI: it ignores the settings of untrusted folders.'],
  settingsFiles: (ports) => [systemFile(ports), settingsFile(ports, 'user'), settingsFile(ports, 'project')],
  findDisablingSetting,
}
