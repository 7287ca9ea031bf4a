import { type ConfigValue, loadConfig } from '../../../platform/config.ts'
import { CONFIG_KEYS, envNameOf, showSetting } from '../../../platform/config-keys.ts'
import { isSet } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { colorsOf, printable, printableName, printJson, table } from '../../shared/output.ts'

function originOf({ origin, file }: ConfigValue): string {
  return file === undefined ? origin : `${origin}: ${file}`
}

export const configCommand: CliCommand = {
  name: 'config',
  summary: 'every setting, its value and where it came from',
  configure(command) {
    command.addHelpText(
      'after',
      `
A setting comes from the first of these that has it: a flag, the environment, the project's .holdfast/config.json
(which may only tighten), the user's config.json in the Holdfast home, the default.

Example:
  ${envNameOf('continuity.promptInterval')}=5 holdfast config`,
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
    const { dim, yellow } = colorsOf(context.io)
    context.io.out(
      table(
        values.map((setting) => [
          setting.key,
          printableName(Array.isArray(setting.value) ? JSON.stringify(setting.value) : String(setting.value)),
          setting.origin === 'default' ? dim(originOf(setting)) : originOf(setting),
        ]),
      ),
    )
    for (const warning of warnings) context.io.err(`${yellow('note:')} ${printable(warning)}\n`)
    return 0
  },
}
