import { harnessIds } from '../../../harness/descriptor/known-harnesses.ts'
import { isSet, textOption } from '../../shared/arguments.ts'
import type { CliCommand, CliContext, CommandInput } from '../../shared/command.ts'
import {
  type Check,
  checkConfig,
  checkDaemon,
  checkHome,
  checkQuarantine,
  checkSetAside,
  checkSpool,
  fail,
  readConnections,
  checkLostHooks,
} from '../../doctor/checks.ts'
import { findMissingPrograms } from '../../../install/missing-programs.ts'
import { findRecords, inspectConnection } from '../../doctor/connection.ts'
import { initCommand } from './init.ts'
import { stopDaemon } from '../../shared/daemon-stop.ts'
import { existsSync } from 'node:fs'
import { checkDigest } from '../../doctor/digest.ts'
import { checkHarness } from '../../doctor/harness.ts'
import { replaceLaterStore } from '../../doctor/later-store.ts'
import { getColors, printJson, printLine } from '../../shared/output.ts'
import { chooseSetups, createSetupPorts } from '../../setup/setup-ports.ts'

/** Runs `init` for every connection that needs it, in its project and with its choices. */
async function repairConnections(context: CliContext, options: CommandInput['options']): Promise<void> {
  const ports = createSetupPorts(context)
  const only = textOption(options, 'harness')
  // With --json, stdout holds the report alone.
  const io = isSet(options, 'json') ? { ...context.io, out: () => undefined } : context.io
  let isRepaired = false
  for (const record of readConnections(ports.home).records) {
    const { harness, scope, cwd } = record
    const isGone = cwd !== undefined && !existsSync(cwd)
    if ((only !== undefined && only !== harness) || isGone) continue
    const { needsInit } = await inspectConnection(record, ports)
    if (!needsInit && findMissingPrograms([record]).length === 0) continue
    const there = Object.assign(Object.create(context), { cwd: cwd ?? context.cwd, io })
    await initCommand.run({ args: [], options: { harness, scope, yes: true }, context: there })
    isRepaired = true
  }
  // One that was started from the old location cannot load what it has not loaded yet.
  if (isRepaired) await stopDaemon(context.home)
}

export const doctorCommand: CliCommand = {
  configure(command) {
    command
      .option('--harness <id>', `check only this harness: ${harnessIds.join(', ')}`)
      .option('--fix', 'reconnect hooks that are missing, outdated or call a program that no longer exists')
      .option('-y, --yes', 'with --fix: also set the database of a later version aside, without a question')
      .addHelpText('after', '\nExit code: 1 if a check fails.')
  },
  async run({ options, context }) {
    const ports = createSetupPorts(context)
    if (isSet(options, 'fix')) {
      await repairConnections(context, options)
      await replaceLaterStore(context, options)
    }
    const daemon = await checkDaemon(context)
    const losses = [checkQuarantine(context), checkLostHooks(context), checkSetAside(context)].filter(
      (check) => check !== undefined,
    )
    const checks: Check[] = [
      checkHome(context),
      ...checkConfig(context),
      daemon.check,
      ...losses,
      ...checkDigest(context),
    ]
    const { records, fault } = readConnections(ports.home)
    if (fault !== undefined) checks.push(fail('manifest', fault.message.replace(/\.$/, ''), fault.hint))
    const connected = new Set(records.map((record) => record.harness))
    const chosen = await chooseSetups(options, connected)
    for (const setup of chosen)
      for (const record of findRecords(setup, records))
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
