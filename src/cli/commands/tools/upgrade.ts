import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { findHealth } from '../../shared/daemon-access.ts'
import { packageFolder } from '../../shared/built-files.ts'
import { isSet } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { printJson, printLine, printUnbroken, printableName } from '../../shared/output.ts'
import { VERSION } from '../../../platform/base/version.ts'

/** Commands for the user to run; this function runs nothing and contacts no server. */
export const upgradeCommand: CliCommand = {
  configure(command) {
    command.addHelpText(
      'after',
      '\nPrints the commands for this installation and runs none of them. Hooks keep\nworking, because their paths stay the same. No server is asked for a newer\nversion.',
    )
  },
  async run({ options, context }) {
    const folder = packageFolder()
    const isCheckout = existsSync(join(folder, '.git'))
    const steps = isCheckout
      ? [`cd ${folder}`, 'git pull', 'npm start', 'holdfast doctor']
      : ['npm install -g <the packed file of the new version>', 'holdfast daemon stop', 'holdfast doctor']
    const daemon = await findHealth(context.home)
    const report = {
      version: VERSION,
      installation: isCheckout ? 'checkout' : 'package',
      folder,
      ...(daemon !== undefined && { daemonVersion: daemon.version }),
      steps,
    }
    const { io } = context
    if (isSet(options, 'json')) {
      printJson(io, report)
      return 0
    }
    printLine(io, `Holdfast ${VERSION}, ${isCheckout ? 'a checkout' : 'a package'} in ${printableName(folder)}`)
    if (daemon !== undefined && daemon.version !== VERSION)
      printLine(io, `The daemon that runs is version ${daemon.version}; \`holdfast daemon stop\` ends it.`)
    printLine(io, 'To upgrade:')
    for (const step of steps) printUnbroken(io, `  ${step}`)
    return 0
  },
}
