import type { Installation } from '../../../install/manifest.ts'
import type { HarnessSetup } from '../../../install/contract/setup.ts'
import { setups } from '../../../harness/setups.ts'
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
} from '../../doctor/checks.ts'
import { checkLostHooks } from '../../doctor/lost-hooks.ts'
import { checkHarness } from '../../doctor/harness.ts'
import { colorsOf, printJson, printLine } from '../../shared/output.ts'
import { chosenSetups, setupWorldOf } from '../../setup/setup-ports.ts'

function installationsOf(setup: HarnessSetup, records: readonly Installation[]) {
  const known = records.filter((record) => record.harness === setup.id)
  return known.length > 0 ? known : [undefined]
}

export const doctorCommand: CliCommand = {
  name: 'doctor',
  summary: 'check everything, run the installed hook for real, and say what to do',
  configure(command) {
    command
      .option('--harness <id>', `only this one: ${setups.map((setup) => setup.id).join(', ')}`)
      .addHelpText('after', '\nExits with 1 when a check fails.')
  },
  async run({ options, context }) {
    const world = setupWorldOf(context)
    const daemon = await checkDaemon(context)
    const losses = [checkQuarantine(context), checkLostHooks(context)].filter((check) => check !== undefined)
    const checks: Check[] = [checkHome(context), ...checkConfig(context), daemon.check, ...losses]
    const { records, fault } = readConnections(world.home)
    if (fault !== undefined) checks.push(fail('manifest', fault.message.replace(/\.$/, ''), fault.hint))
    const connected = new Set(records.map((record) => record.harness))
    const chosen = chosenSetups(options, (setup) => connected.has(setup.id))
    for (const setup of chosen)
      for (const record of installationsOf(setup, records))
        checks.push(...(await checkHarness(context, { setup, world, record, continuity: daemon.continuity })))
    if (chosen.length === 0 && fault === undefined)
      checks.push({
        subject: 'harnesses',
        verdict: 'warn',
        detail: 'none is connected',
        advice: 'Run `holdfast init`.',
      })
    checks.push(checkSpool(context))
    const isSound = checks.every((check) => check.verdict !== 'fail')
    if (isSet(options, 'json')) printJson(context.io, { isSound, checks })
    else {
      const { green, yellow, red, bold, dim } = colorsOf(context.io)
      const signs = { ok: green('✓'), warn: yellow('!'), fail: red('✗') }
      for (const { verdict, subject, detail, advice } of checks) {
        printLine(context.io, `${signs[verdict]} ${bold(subject)}  ${detail}`)
        if (advice !== undefined) printLine(context.io, `  ${dim(advice)}`)
      }
    }
    return isSound ? 0 : 1
  },
}
