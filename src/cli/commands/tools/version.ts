import { VERSION } from '../../../platform/base/version.ts'
import type { CliCommand } from '../../shared/command.ts'
import { printJson, table } from '../../shared/output.ts'

export const versionCommand: CliCommand = {
  configure: () => undefined,
  async run({ options, context }) {
    const versions = { holdfast: VERSION, node: process.versions.node, platform: `${process.platform}-${process.arch}` }
    if (options.json === true) printJson(context.io, versions)
    else context.io.out(table(Object.entries(versions)))
    return 0
  },
}
