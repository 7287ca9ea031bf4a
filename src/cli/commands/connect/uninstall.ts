import { HoldfastError } from '../../../kernel/errors.ts'
import type { ChangePlan } from '../../../install/change-plan.ts'
import { applyUninstall, proveUninstalled } from '../../../install/installer.ts'
import { worldOf } from '../../../install/installation.ts'
import { planUninstall } from '../../../install/plan-uninstall.ts'
import type { SetupWorld } from '../../../install/contract/setup.ts'
import { setups } from '../../../harness/setups.ts'
import { findHookToken } from '../../../install/daemon-address.ts'
import { collect, isSet } from '../../shared/arguments.ts'
import { askingDiffOf, coloredDiff, diffOf, HIDDEN_TOKEN, printNotices } from '../../setup/change-diff.ts'
import type { CliCommand, CommandInput } from '../../shared/command.ts'
import { nameOf } from '../../setup/descriptor-option.ts'
import { colorsOf, count, printJson, printLine } from '../../shared/output.ts'
import { confirm, whenNobodyInterferes } from '../../setup/setup-ports.ts'
import { targetsOf, type UninstallTarget } from '../../setup/uninstall-targets.ts'

const SAID = {
  restored: 'is byte for byte what it was before',
  'removed-around-edits': 'has kept what you changed since, and holds nothing of ours',
  'removed-by-shape': 'holds nothing of ours; what was there before it was connected is not known here',
  gone: 'is gone again: Holdfast had made it',
} as const

/** Two homes may share a settings file one after the other; the hooks in it belong to the one that they name. */
function refuseForeign(world: SetupWorld, { changes }: ChangePlan): void {
  for (const { before, removed } of changes)
    for (const { reach } of removed) {
      const home = reach?.findHome(before.text ?? '')
      if (home === undefined || home === world.home.root) continue
      throw new HoldfastError('conflict', `What is ours in ${before.path} belongs to the Holdfast home ${home}.`, {
        hint: `To take it out, run this again with HOLDFAST_HOME set to ${home}.`,
      })
    }
}

async function disconnect({ setup, scope, record }: UninstallTarget, world: SetupWorld, input: CommandInput) {
  const { options, context } = input
  const isJson = isSet(options, 'json')
  const target = { scope, ...(record === undefined ? {} : { record }) }
  const there = worldOf(world, record)
  const { page } = there
  const { cwd } = record ?? (scope === 'user' ? {} : { cwd: world.cwd })
  const name = `${nameOf(setup, there)}${cwd === undefined ? '' : ` in ${cwd}`}`
  const plan = planUninstall(setup, world, target)
  refuseForeign(world, plan)
  const token = findHookToken(context.home) ?? HIDDEN_TOKEN
  const result = {
    harness: setup.id,
    ...(page === undefined ? {} : { page: page.name }),
    scope,
    ...(cwd === undefined ? {} : { cwd }),
    settings: plan.mainPath,
    isChanged: false,
    files: plan.changes.map(({ before }) => before.path),
    notices: plan.notices,
    proof: undefined,
  }
  const { bold, green } = colorsOf(context.io)
  if (!isJson) printNotices(plan, context)
  if (plan.changes.length === 0) {
    if (record !== undefined && !isSet(options, 'dryRun')) applyUninstall(plan, world)
    if (!isJson) printLine(context.io, `${bold(name)}: nothing of ours is in ${plan.mainPath}`)
    return result
  }
  const isAsked = !isSet(options, 'yes') && !isSet(options, 'dryRun')
  const isDryRun = isSet(options, 'dryRun')
  if (!isJson && (isAsked || isDryRun))
    context.io.out(coloredDiff(isDryRun ? diffOf(plan, token) : askingDiffOf(plan, token), context))
  if (isSet(options, 'dryRun')) return result
  if (
    isAsked &&
    !(await confirm(context, `Take this out of ${count(plan.changes.length, 'file')}, to disconnect ${name}?`))
  ) {
    printLine(context.io, 'Nothing was written.')
    return result
  }
  const done = whenNobodyInterferes(() => {
    const fresh = planUninstall(setup, world, target)
    applyUninstall(fresh, world)
    return fresh
  })
  const proof = isSet(options, 'verify') ? proveUninstalled(done) : undefined
  if (!isJson) {
    printLine(
      context.io,
      `${green('✓')} ${bold(name)} is disconnected: ${count(plan.changes.length, 'file')} given back`,
    )
    for (const { path, outcome } of proof ?? []) printLine(context.io, `  ${path} ${SAID[outcome]}.`)
  }
  return { ...result, isChanged: true, proof }
}

export const uninstallCommand: CliCommand = {
  name: 'uninstall',
  summary: 'disconnect a harness and give back every file as it was',
  configure(command) {
    command
      .option('--harness <id>', `which one; may be repeated: ${setups.map((setup) => setup.id).join(', ')}`, collect)
      .option('--config <file>', 'of generic, only the harness that this page describes')
      .option('--all', 'every harness that is connected')
      .option('--scope <scope>', 'only user, project or local; all of them unless given')
      .option(
        '--project [dir]',
        'only what was connected for this project (the one here unless named), not for the user',
      )
      .option('-y, --yes', 'do not ask')
      .option('--dry-run', 'show the difference and write nothing')
      .option('--verify', 'prove afterwards what each file is now')
      .addHelpText(
        'after',
        '\nWhat was kept stays in the Holdfast home; delete that folder to forget it.\n\nExamples:\n  $ holdfast uninstall --harness claude-code --yes --verify\n  $ holdfast uninstall --project ~/code/shop --dry-run',
      )
  },
  async run(input) {
    const { options, context } = input
    const { world, targets } = targetsOf(input)
    const results = []
    let hasFailed = false
    for (const target of targets) {
      try {
        results.push(await disconnect(target, world, input))
      } catch (thrown) {
        // Settings of one that cannot be edited are no reason to leave the others connected.
        if (targets.length === 1 || !(thrown instanceof HoldfastError) || thrown.code === 'invalid-input') throw thrown
        hasFailed = true
        const { code, message, hint } = thrown
        const name = nameOf(target.setup, worldOf(world, target.record))
        results.push({
          harness: target.setup.id,
          scope: target.scope,
          ...(target.record?.cwd === undefined ? {} : { cwd: target.record.cwd }),
          isChanged: false,
          error: { code, message, hint },
        })
        context.io.err(`${name} is still connected: ${message}${hint === undefined ? '' : ` ${hint}`}\n`)
      }
    }
    if (isSet(options, 'json')) printJson(context.io, { harnesses: results })
    return hasFailed ? 1 : 0
  },
}
