import { type ConfigValue, findProjectFile, loadConfig, parseSetting } from '../../../platform/config.ts'
import { writeSetting } from '../../../platform/settings-file.ts'
import { findHealth } from '../../shared/daemon-access.ts'
import { HoldfastError } from '../../../kernel/errors.ts'
import { dirname } from 'node:path'
import { SETTINGS_BY_KEY, toSettingKey } from '../../../kernel/config.ts'
import { toEnvName, showSetting } from '../../../platform/config-display.ts'
import { isAgentShell } from '../../shared/agent-shell.ts'
import { isSet } from '../../shared/arguments.ts'
import type { CliCommand, CliContext } from '../../shared/command.ts'
import { getColors, printable, printableName, printJson, printLine, table } from '../../shared/output.ts'

function formatOrigin({ origin, file }: ConfigValue): string {
  return file === undefined ? origin : `${origin}: ${file}`
}

export const configCommand: CliCommand = {
  configure(command) {
    command.addHelpText(
      'after',
      `
Sources, highest priority first: an option, the environment, the project's
.holdfast/config.json (can disable or tighten settings, never enable or loosen
them), config.json in the Holdfast home, the default.

Example:
  ${toEnvName('continuity.promptInterval')}=5 holdfast config`,
    )
  },
  async run({ options, context }) {
    const { origins, warnings } = loadConfig({ home: context.home, env: context.env, cwd: context.cwd })
    const values = [...SETTINGS_BY_KEY.keys()].flatMap((key) => {
      const found = origins[key]
      return found === undefined ? [] : [{ key, ...found, value: showSetting(key, found.value) }]
    })
    if (isSet(options, 'json')) {
      printJson(context.io, { file: context.home.configFile, values, warnings })
      return 0
    }
    const { dim, yellow } = getColors(context.io)
    context.io.out(
      table(
        values.map((setting) => [
          setting.key,
          printableName(Array.isArray(setting.value) ? JSON.stringify(setting.value) : String(setting.value)),
          setting.origin === 'default' ? dim(formatOrigin(setting)) : formatOrigin(setting),
        ]),
      ),
    )
    for (const warning of warnings) context.io.err(`${yellow('note:')} ${printable(warning)}\n`)
    return 0
  },
}

function formatValue(value: unknown): string {
  return printableName(Array.isArray(value) ? JSON.stringify(value) : String(value))
}

function readOne({ home, env, cwd }: CliContext, key: string): ConfigValue {
  const found = loadConfig({ home, env, cwd }).origins[key]
  if (found !== undefined) return { ...found, value: showSetting(key, found.value) }
  throw new HoldfastError('invalid-input', `Unknown setting ${key}.`, { hint: 'Run `holdfast config` to see them.' })
}

export const configGetCommand: CliCommand = {
  configure(command) {
    command.argument('<key>', 'a setting, such as memory.inject')
  },
  async run({ args: [name = ''], options, context }) {
    const key = toSettingKey(name)
    const found = readOne(context, key)
    if (isSet(options, 'json')) printJson(context.io, { key, ...found })
    else printLine(context.io, formatValue(found.value))
    return 0
  },
}

/** Writes the key, or removes it, in the user's file or the project's, and refuses a value that has no effect there. */
function changeSetting(
  context: CliContext,
  { key, value, isProject }: { key: string; value: unknown; isProject: boolean },
): string {
  const { home, cwd } = context
  const file = isProject ? findProjectFile(cwd, home) : home.configFile
  if (file === undefined)
    throw new HoldfastError('invalid-input', 'This folder is the home of Holdfast, not a project.')
  const root = isProject ? dirname(dirname(file)) : undefined
  const before = loadConfig({ home, env: {}, cwd }).origins[key]
  writeSetting(file, { key, value, ...(root !== undefined && { root }) })
  if (isProject && value !== undefined && loadConfig({ home, env: {}, cwd }).origins[key]?.value !== value) {
    writeSetting(file, {
      key,
      value: before?.origin === 'project' ? before.value : undefined,
      ...(root !== undefined && { root }),
    })
    throw new HoldfastError('invalid-input', `A project cannot set ${key} to ${formatValue(value)}.`, {
      hint: 'A project may disable or tighten a setting only; without --project it is set for you everywhere.',
    })
  }
  return file
}

async function finishChange(
  context: CliContext,
  { key, file, isJson }: { key: string; file: string; isJson: boolean },
) {
  const found = readOne(context, key)
  const isRunning = (await findHealth(context.home)) !== undefined
  if (isJson) printJson(context.io, { key, ...found, writtenTo: file })
  else {
    printLine(context.io, `${key} is ${formatValue(found.value)} (${formatOrigin(found)}).`)
    if (isRunning)
      printLine(
        context.io,
        'A running daemon reads its own settings at its start: `holdfast daemon stop` applies them to it.',
      )
  }
  return 0 as const
}

/** An agent whose proposals wait for a person cannot switch the review off. */
function refuseAgent({ env }: CliContext, key: string, value?: unknown): void {
  if (key !== 'memory.review' || value === 'inbox' || !isAgentShell(env)) return
  throw new HoldfastError('forbidden', `Only a person changes ${key}, and an agent ran this command.`, {
    hint: 'Run the command in a terminal of your own.',
  })
}

export const configSetCommand: CliCommand = {
  configure(command) {
    command
      .argument('<key>', 'a setting, such as memory.inject')
      .argument('<value>', 'the value; a list as JSON')
      .option('--project', "in the project's .holdfast/config.json, which can only disable or tighten settings")
  },
  async run({ args: [name = '', text = ''], options, context }) {
    const key = toSettingKey(name)
    const value = parseSetting(key, text)
    refuseAgent(context, key, value)
    const file = changeSetting(context, { key, value, isProject: isSet(options, 'project') })
    return finishChange(context, { key, file, isJson: isSet(options, 'json') })
  },
}

export const configUnsetCommand: CliCommand = {
  configure(command) {
    command.argument('<key>', 'a setting').option('--project', "in the project's .holdfast/config.json")
  },
  async run({ args: [name = ''], options, context }) {
    const key = toSettingKey(name)
    readOne(context, key)
    refuseAgent(context, key)
    const file = changeSetting(context, { key, value: undefined, isProject: isSet(options, 'project') })
    return finishChange(context, { key, file, isJson: isSet(options, 'json') })
  },
}

function switchProject(isOn: boolean): CliCommand {
  return {
    configure: () => undefined,
    async run({ options, context }) {
      const key = 'continuity.enabled'
      const file = changeSetting(context, { key, value: isOn ? undefined : false, isProject: true })
      const { value, ...origin } = readOne(context, key)
      if (isSet(options, 'json')) printJson(context.io, { enabled: value, file })
      else if (value !== isOn) printLine(context.io, `Holdfast stays off here (${formatOrigin({ value, ...origin })}).`)
      else if (isOn) printLine(context.io, 'Holdfast records sessions of this project again.')
      else
        printLine(
          context.io,
          `Holdfast records nothing here from now on (${file}). What is stored stays; \`holdfast on\` ends it.`,
        )
      return value === isOn ? 0 : 1
    },
  }
}

export const offCommand = switchProject(false)
export const onCommand = switchProject(true)
