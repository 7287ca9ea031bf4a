import { type ConfigValue, loadConfig } from '../../../platform/config.ts'
import { CONFIG_KEYS, toEnvName, showSetting } from '../../../platform/config-keys.ts'
import { isSet } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { getColors, printable, printableName, printJson, table } from '../../shared/output.ts'

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
    const values = CONFIG_KEYS.flatMap((key) => {
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
