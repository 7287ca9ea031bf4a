import type { Installation } from '../../../install/manifest.ts'
import type { HarnessSetup } from '../../../install/contract/setup.ts'
import { harnessIds } from '../../../harness/descriptor/known-harnesses.ts'
import { isSet } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import {
  type Check,
  checkConfig,
  checkDaemon,
  checkHome,
  checkQuarantine,
  checkSpool,
  fail,
  readConnections,
  checkLostHooks,
} from '../../doctor/checks.ts'
import { checkHarness } from '../../doctor/harness.ts'
import { getColors, printJson, printLine } from '../../shared/output.ts'
import { chooseSetups, createSetupPorts } from '../../setup/setup-ports.ts'

function findInstallations(setup: HarnessSetup, records: readonly Installation[]) {
  const known = records.filter((record) => record.harness === setup.id)
  return known.length > 0 ? known : [undefined]
}

export const doctorCommand: CliCommand = {
  configure(command) {
    command
      .option('--harness <id>', `check only this harness: ${harnessIds.join(', ')}`)
      .addHelpText('after', '\nExit code: 1 if a check fails.')
  },
  async run({ options, context }) {
    const ports = createSetupPorts(context)
    const daemon = await checkDaemon(context)
    const losses = [checkQuarantine(context), checkLostHooks(context)].filter((check) => check !== undefined)
    const checks: Check[] = [checkHome(context), ...checkConfig(context), daemon.check, ...losses]
    const { records, fault } = readConnections(ports.home)
    if (fault !== undefined) checks.push(fail('manifest', fault.message.replace(/\.$/, ''), fault.hint))
    const connected = new Set(records.map((record) => record.harness))
    const chosen = await chooseSetups(options, connected)
    for (const setup of chosen)
      for (const record of findInstallations(setup, records))
        checks.push(...(await checkHarness(context, { setup, ports, record, continuity: daemon.continuity })))
    if (chosen.length === 0 && fault === undefined)
      checks.push({
        subject: 'harnesses',
        verdict: 'warn',
        detail: 'none connected',
        advice: 'Run `holdfast init`.',
      })
    checks.push(checkSpool(context))
    const isSound = checks.every((check) => check.verdict !== 'fail')
    if (isSet(options, 'json')) printJson(context.io, { isSound, checks })
    else {
      const { green, yellow, red, bold, dim } = getColors(context.io)
      const marks = { ok: green('✓'), warn: yellow('!'), fail: red('✗') }
      for (const { verdict, subject, detail, advice } of checks) {
        printLine(context.io, `${marks[verdict]} ${bold(subject)}  ${detail}`)
        if (advice !== undefined) printLine(context.io, `  ${dim(advice)}`)
      }
    }
    return isSound ? 0 : 1
  },
}
