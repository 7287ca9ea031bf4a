import { HoldfastError } from '../../../kernel/errors.ts'
import type { ChangePlan } from '../../../install/change-plan.ts'
import { applyUninstall, proveUninstalled } from '../../../install/installer.ts'
import { restorePorts } from '../../../install/installation.ts'
import { planUninstall } from '../../../install/plan-uninstall.ts'
import type { SetupPorts } from '../../../install/contract/setup.ts'
import { harnessIds } from '../../../harness/descriptor/known-harnesses.ts'
import { findHookToken } from '../../../install/daemon-address.ts'
import { collect, isSet } from '../../shared/arguments.ts'
import { renderQuestionDiff, coloredDiff, renderDiff, HIDDEN_TOKEN, printNotices } from '../../setup/change-diff.ts'
import type { CliCommand, CommandInput } from '../../shared/command.ts'
import { getDisplayName } from '../../setup/descriptor-option.ts'
import { getColors, count, printJson, printLine } from '../../shared/output.ts'
import { confirm, retryOnConflict } from '../../setup/setup-ports.ts'
import { findUninstallTargets, leaveSpaces, type UninstallTarget } from '../../setup/uninstall-targets.ts'

const PROOF_TEXT = {
  restored: 'restored byte for byte',
  'removed-around-edits': 'Holdfast entries removed; your later changes were preserved',
  'removed-by-shape': 'Holdfast entries removed; the original content is not known',
  gone: 'deleted; Holdfast had created it',
} as const

/** Refuses to remove hooks that name another Holdfast home. */
function refuseForeign(ports: SetupPorts, { changes }: ChangePlan): void {
  for (const { before, removed } of changes)
    for (const { reach } of removed) {
      const home = reach?.findHome(before.text ?? '')
      if (home === undefined || home === ports.home.root) continue
      throw new HoldfastError('conflict', `The entries in ${before.path} belong to the Holdfast home ${home}.`, {
        hint: `To remove them, run this again with HOLDFAST_HOME=${home}.`,
      })
    }
}

async function disconnect({ setup, scope, record }: UninstallTarget, ports: SetupPorts, input: CommandInput) {
  const { options, context } = input
  const isJson = isSet(options, 'json')
  const target = { scope, ...(record === undefined ? {} : { record }) }
  const there = restorePorts(ports, record)
  const { descriptor: page } = there
  const { cwd } = record ?? (scope === 'user' ? {} : { cwd: ports.cwd })
  const name = `${getDisplayName(setup, there)}${cwd === undefined ? '' : ` in ${cwd}`}`
  const plan = planUninstall(setup, ports, target)
  refuseForeign(ports, plan)
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
  const { bold, green } = getColors(context.io)
  if (!isJson) printNotices(plan, context)
  if (plan.changes.length === 0) {
    if (record !== undefined && !isSet(options, 'dryRun')) applyUninstall(plan, ports)
    if (!isJson) printLine(context.io, `${bold(name)}: no Holdfast entries in ${plan.mainPath}`)
    return result
  }
  const isAsked = !isSet(options, 'yes') && !isSet(options, 'dryRun')
  const isDryRun = isSet(options, 'dryRun')
  if (!isJson && (isAsked || isDryRun))
    context.io.out(coloredDiff(isDryRun ? renderDiff(plan, token) : renderQuestionDiff(plan, token), context))
  if (isSet(options, 'dryRun')) return result
  if (isAsked && !(await confirm(context, `Change ${count(plan.changes.length, 'file')} to disconnect ${name}?`))) {
    printLine(context.io, 'Nothing was changed.')
    return result
  }
  const done = retryOnConflict(() => {
    const fresh = planUninstall(setup, ports, target)
    applyUninstall(fresh, ports)
    return fresh
  })
  const proof = isSet(options, 'verify') ? proveUninstalled(done) : undefined
  if (!isJson) {
    printLine(context.io, `${green('✓')} ${bold(name)} is disconnected: ${count(plan.changes.length, 'file')} restored`)
    for (const { path, outcome } of proof ?? []) printLine(context.io, `  ${path}: ${PROOF_TEXT[outcome]}.`)
  }
  return { ...result, isChanged: true, proof }
}

export const uninstallCommand: CliCommand = {
  configure(command) {
    command
      .option('--harness <id>', `harness to disconnect (repeatable): ${harnessIds.join(', ')}`, collect)
      .option('--config <file>', 'only the generic harness with this descriptor')
      .option('--all', 'every connected harness')
      .option('--scope <scope>', 'only user, project or local (default: all)')
      .option('--project [dir]', 'only connections of this project (default: the current one)')
      .option('--keep-spaces', 'with --all: do not remove the records that `holdfast sync` wrote for other machines')
      .option('-y, --yes', 'do not ask')
      .option('--dry-run', 'show the changes without writing them')
      .option('--verify', 'report the state of each file afterwards')
      .addHelpText(
        'after',
        '\nRecorded data stays in the Holdfast home; delete that folder to remove it.\n\nExamples:\n  $ holdfast uninstall --harness claude-code --yes --verify\n  $ holdfast uninstall --project ~/code/shop --dry-run',
      )
  },
  async run(input) {
    const { options, context } = input
    const { ports, targets } = await findUninstallTargets(input)
    const results = []
    let hasFailed = false
    for (const target of targets) {
      try {
        results.push(await disconnect(target, ports, input))
      } catch (thrown) {
        // One failure does not stop the other disconnections.
        if (targets.length === 1 || !(thrown instanceof HoldfastError) || thrown.code === 'invalid-input') throw thrown
        hasFailed = true
        const { code, message, hint } = thrown
        const name = getDisplayName(target.setup, restorePorts(ports, target.record))
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
    if (isSet(options, 'all') && !isSet(options, 'dryRun') && !isSet(options, 'keepSpaces')) await leaveSpaces(input)
    if (isSet(options, 'json')) printJson(context.io, { harnesses: results })
    else if (results.some(({ isChanged }) => isChanged))
      printLine(
        context.io,
        getColors(context.io).dim(
          `What you had Holdfast write into projects stays (memory/, tasks/, PROJECT_INDEX.*), and so does ${context.home.root}.`,
        ),
      )
    return hasFailed ? 1 : 0
  },
}
