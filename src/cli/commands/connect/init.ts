import { HoldfastError } from '../../../kernel/errors.ts'
import { ensureHookToken, findRunningPort } from '../../../install/daemon-address.ts'
import { applyInstall } from '../../../install/installer.ts'
import { type InstallOptions, planInstall } from '../../../install/plan-install.ts'
import type { HarnessSetup, Scope, SetupPorts } from '../../../install/contract/setup.ts'
import { harnessIds } from '../../../harness/descriptor/known-harnesses.ts'
import { collect, isSet, listOption, textOption } from '../../shared/arguments.ts'
import {
  renderQuestionDiff,
  coloredDiff,
  renderDiff,
  printNotices,
  reportDisablingSettings,
} from '../../setup/change-diff.ts'
import type { CliCommand, CliContext, CommandInput } from '../../shared/command.ts'
import { requestShutdown } from '../../shared/daemon-access.ts'
import { describeExtraPart, EXTRA_PARTS, listExtraParts } from '../../setup/session-cost.ts'
import { chooseWiring, recordGap } from '../../setup/hook-wiring.ts'
import {
  getDisplayName,
  descriptorOption,
  refuseMovedDescriptor,
  type InstallTarget,
  findInstallTargets,
} from '../../setup/descriptor-option.ts'
import { getColors, count, printJson, printLine } from '../../shared/output.ts'
import {
  ask,
  chooseSetups,
  confirm,
  namedSetups,
  parseScope,
  createSetupPorts,
  retryOnConflict,
} from '../../setup/setup-ports.ts'

/** The parts of `--with`, separated by commas. */
function parseParts(given: string, before: readonly string[] = []): readonly string[] {
  const parts = given.split(/[\s,]+/).filter((part) => part !== '' && !/^(?:no?|none)$/i.test(part))
  const unknown = parts.find((part) => !EXTRA_PARTS.some((known) => known === part))
  if (unknown === undefined) return [...before, ...parts]
  throw new HoldfastError('invalid-input', `${JSON.stringify(unknown)} is not a part that can be added.`, {
    hint: `Use ${EXTRA_PARTS.join(', ')}, or several separated by commas.`,
  })
}

/** `--no-skills` also decides about command files, which some harnesses have instead. */
function readWants({ options }: CommandInput): NonNullable<InstallOptions['wants']> {
  const added = listOption(options, 'with')
  const flag = (name: string, option = name) =>
    added.includes(name) ? { [name]: true } : typeof options[option] === 'boolean' ? { [name]: options[option] } : {}
  const hooks = { ...flag('hooks'), ...flag('plugin', 'hooks') }
  return {
    ...hooks,
    ...flag('mcp'),
    ...flag('skills'),
    ...flag('commands', 'skills'),
    ...flag('snippet'),
    ...flag('bootstrap'),
  }
}

/** Asks about the parts that are off by default, unless the options or an earlier install decided about them. */
async function askExtraParts(
  setup: HarnessSetup,
  { ports, scope: before }: InstallTarget,
  scope: Scope,
  { options, context }: CommandInput,
): Promise<NonNullable<InstallOptions['wants']>> {
  const isDecided =
    before !== undefined || ['with', 'skills', 'snippet', 'bootstrap'].some((name) => options[name] !== undefined)
  if (isDecided || !context.io.isInteractive || ['yes', 'dryRun', 'json'].some((name) => isSet(options, name)))
    return {}
  const parts = listExtraParts(setup, ports, scope)
  if (parts.length === 0) return {}
  printLine(
    context.io,
    `${setup.name}: hooks and MCP tools will be connected (the changes follow). Optional, off by default:`,
  )
  for (const part of parts) printLine(context.io, `  ${describeExtraPart(part)}`)
  const chosen = parseParts(await ask(context, 'Also add which? Names, or Enter for none: '))
  return Object.fromEntries(parts.map(({ name }) => [name, chosen.includes(name)]))
}

/** Skills are the commands of a harness that has no files for commands. */
function listPlaceless(setup: HarnessSetup, ports: SetupPorts, scope: Scope, { options }: CommandInput) {
  const places = new Set<string>(listExtraParts(setup, ports, scope).map(({ name }) => name))
  return listOption(options, 'with').filter((part) => part !== 'commands' && !places.has(part))
}

async function askWhich(found: readonly HarnessSetup[], context: CliContext): Promise<readonly HarnessSetup[]> {
  for (const [index, { name }] of found.entries()) printLine(context.io, `  ${index + 1}  ${name}`)
  const answer = await ask(context, 'Which ones? Numbers, or Enter for all: ')
  if (answer === '') return found
  const chosen = answer.split(/[\s,]+/).map((word) => found[Number(word) - 1])
  if (chosen.every((setup) => setup !== undefined)) return [...new Set(chosen)]
  throw new HoldfastError(
    'invalid-input',
    `${JSON.stringify(answer)} is not a list of numbers from 1 to ${found.length}.`,
  )
}

async function chooseHarnesses(ports: SetupPorts, input: CommandInput): Promise<readonly HarnessSetup[]> {
  const { options, context } = input
  const named = await namedSetups(options)
  const hasPage = textOption(options, 'config') !== undefined
  if (hasPage && named.length > 0 && !named.some((setup) => setup.takesDescriptor === true))
    throw new HoldfastError('invalid-input', '`--config` works only with `--harness generic`.')
  if (named.length > 0) return named
  const setups = await chooseSetups(options, new Set(harnessIds))
  if (hasPage) return setups.filter((setup) => setup.takesDescriptor === true)
  const found = setups.filter((setup) => setup.isPresent(ports))
  if (found.length === 0)
    throw new HoldfastError('not-found', 'No harness was found on this machine.', {
      hint: `Name one, for example \`holdfast init --harness ${harnessIds[0]}\`.`,
    })
  const isAsked = found.length > 1 && context.io.isInteractive && !isSet(options, 'all') && !isSet(options, 'yes')
  return isAsked && !isSet(options, 'json') ? askWhich(found, context) : found
}

function chooseScope(setup: HarnessSetup, { ports, scope: before }: InstallTarget, { options }: CommandInput): Scope {
  const scope = parseScope(options) ?? before ?? setup.scopes[0] ?? 'user'
  const hasPlace = setup.edits(ports, scope, undefined).length + (setup.remainingSteps?.(ports, scope) ?? []).length
  if (setup.scopes.includes(scope) && hasPlace > 0) return scope
  throw new HoldfastError('unsupported', `${setup.name} does not support the scope ${scope}.`, {
    hint: `It supports ${setup.scopes.join(', ')}.`,
  })
}

async function connect(setup: HarnessSetup, target: InstallTarget, input: CommandInput) {
  const { options, context } = input
  const { ports } = target
  const scope = chooseScope(setup, target, input)
  const name = getDisplayName(setup, ports)
  const isDryRun = isSet(options, 'dryRun')
  const isJson = isSet(options, 'json')
  const { http, fixPort, why } = await chooseWiring(setup, ports, scope, input)
  const wants = { ...readWants(input), ...(await askExtraParts(setup, target, scope, input)) }
  const plan = planInstall(setup, ports, { scope, http, fixPort, wants })
  refuseMovedDescriptor(ports, plan.previous)
  const diff = renderDiff(plan, http?.token)
  const hasNoHooks = plan.installation?.leftOut.includes('hooks') === true
  const remainingSteps = hasNoHooks ? [] : (setup.remainingSteps?.(ports, scope) ?? [])
  const result = {
    harness: setup.id,
    ...(ports.descriptor === undefined ? {} : { page: ports.descriptor.name }),
    scope,
    settings: plan.mainPath,
    isChanged: false,
    isDryRun,
    http: http !== undefined,
    leftOut: plan.installation?.leftOut ?? [],
    files: plan.changes.map(({ before }) => before.path),
    notices: plan.notices,
    remainingSteps,
    diff,
  }
  const { bold, dim, green, yellow } = getColors(context.io)
  if (!isJson) printNotices(plan, context)
  for (const part of listPlaceless(setup, ports, scope, input))
    context.io.err(`${name} has no place for ${part} in the scope ${scope}.\n`)
  if (plan.changes.length === 0) {
    if (!isDryRun) applyInstall(plan, ports)
    const state =
      plan.previous === undefined ? 'is connected; no file had to change' : `is already connected: ${plan.mainPath}`
    if (!isJson) printLine(context.io, `${bold(name)} ${state}`)
    if (!isJson && plan.previous === undefined) for (const step of remainingSteps) printLine(context.io, `  ${step}`)
    return result
  }
  const isAsked = !isSet(options, 'yes') && !isDryRun
  if (!isJson && (isDryRun || isAsked))
    context.io.out(coloredDiff(isDryRun ? diff : renderQuestionDiff(plan, http?.token), context))
  if (isDryRun) {
    if (!isJson) printLine(context.io, dim(`Nothing was changed${why === undefined ? '' : ` (${why})`}.`))
    return result
  }
  if (isAsked && !(await confirm(context, `Change ${count(plan.changes.length, 'file')} to connect ${name}?`))) {
    printLine(context.io, 'Nothing was changed.')
    return result
  }
  const settled = http === undefined ? undefined : { port: http.port, token: ensureHookToken(context.home) }
  recordGap(ports.home, plan.previous)
  retryOnConflict(() => applyInstall(planInstall(setup, ports, { scope, http: settled, fixPort, wants }), ports))
  // The next hook starts it again, on the port that the hooks use.
  if (settled !== undefined && ![undefined, settled.port].includes(findRunningPort(context.home)))
    await requestShutdown(context.home)
  if (!isJson) {
    const written = count(plan.changes.length, 'file')
    const hasHooks = plan.installation?.files.some(({ role }) => role === 'hooks' || role === 'plugin') === true
    const isSilenced = hasHooks && reportDisablingSettings(setup, ports, undefined).length > 0
    const head = isSilenced
      ? `${yellow('!')} ${bold(name)} runs no hook yet`
      : `${green('✓')} ${bold(name)} is connected`
    printLine(context.io, `${head}: ${plan.mainPath} (${written} changed)`)
    const how = why === undefined || !hasHooks ? '' : `${why}. `
    const recorded = hasHooks && !isSilenced ? 'New sessions are recorded; ' : ''
    printLine(context.io, dim(`  ${how}${recorded}\`holdfast doctor\` tests the connection.`))
    for (const step of remainingSteps) printLine(context.io, `  ${step}`)
    const leftOut = listExtraParts(setup, ports, scope).filter(({ name: part }) =>
      plan.installation?.leftOut.some((kind) => kind === part),
    )
    for (const part of leftOut) printLine(context.io, dim(`  Not added: ${describeExtraPart(part)}`))
    if (leftOut.length > 0)
      printLine(
        context.io,
        dim(`  To add: \`holdfast init --harness ${setup.id} --with ${leftOut.map((part) => part.name).join(',')}\``),
      )
  }
  return { ...result, isChanged: true }
}

export const initCommand: CliCommand = {
  configure(command) {
    command
      .option('--harness <id>', `harness to connect (repeatable): ${harnessIds.join(', ')}`, collect)
      .option('--config <file>', 'JSON descriptor of a harness that Holdfast has no connector for')
      .option('--all', 'every harness found on this machine')
      .option('--scope <scope>', 'user (all projects, default), project (shared) or local (only you, only here)')
      .option('-y, --yes', 'do not ask')
      .option('--dry-run', 'show the changes without writing them')
      .option('--http', 'use HTTP hooks: faster, but they wait while the daemon is stopped')
      .option('--no-http', 'go back to command hooks after --http')
      .addOption(command.createOption('--hooks', 'add the hooks after --no-hooks').hideHelp())
      .option('--no-hooks', 'do not add the hooks: nothing is recorded unless another scope has them')
      .option('--mcp', 'add the MCP tools after --no-mcp')
      .option('--no-mcp', 'do not add the MCP tools')
      .option(
        '--with <parts>',
        'also add skills, commands (slash commands), snippet (lines in CLAUDE.md or its equivalent) or bootstrap (lines in your own, by which agents offer the snippet to each project)',
        parseParts,
      )
      .addOption(command.createOption('--skills', 'the same as --with skills,commands').hideHelp())
      .option('--no-skills', 'remove the skills and slash commands')
      .addOption(command.createOption('--snippet', 'the same as --with snippet').hideHelp())
      .option('--no-snippet', 'remove the lines in CLAUDE.md or its equivalent')
      .addOption(command.createOption('--bootstrap', 'the same as --with bootstrap').hideHelp())
      .option('--no-bootstrap', 'remove the bootstrap lines')
      .addHelpText(
        'after',
        '\nConnects hooks and the MCP entry; the other parts only on request. The next init\nuses the same choices. A skill or instruction that you edited is not changed.\n\nExamples:\n  $ holdfast init\n  $ holdfast init --harness claude-code --yes\n  $ holdfast init --harness claude-code --with skills,snippet --dry-run',
      )
  },
  async run(input) {
    const { options, context } = input
    // Throws when the configuration is invalid: the daemon could not start, and nothing would be recorded.
    void context.config
    const ports = createSetupPorts(context)
    const isTemporary = /[\\/]_npx[\\/]/.test(ports.distDir)
    if (isTemporary)
      context.io.err('Holdfast runs from the npx cache, which may be cleared. Use `npm link` in a checkout instead.\n')
    const results = []
    const chosen = await chooseHarnesses(ports, input)
    let hasFailed = false
    const page = descriptorOption(input)
    const targets = chosen.flatMap((setup) =>
      findInstallTargets(setup, ports, page).map((target) => ({ setup, target })),
    )
    for (const { setup, target } of targets) {
      try {
        const result = await connect(setup, target, input)
        const silencedBy = reportDisablingSettings(setup, target.ports, isSet(options, 'json') ? undefined : context)
        results.push({ ...result, silencedBy })
      } catch (thrown) {
        // One failure does not stop the other connections.
        if (targets.length === 1 || !(thrown instanceof HoldfastError) || thrown.code === 'invalid-input') throw thrown
        hasFailed = true
        const { code, message, hint } = thrown
        results.push({ harness: setup.id, isChanged: false, error: { code, message, hint } })
        context.io.err(`${setup.name} is not connected: ${message}${hint === undefined ? '' : ` ${hint}`}\n`)
      }
    }
    if (isSet(options, 'json')) printJson(context.io, { harnesses: results })
    return hasFailed ? 1 : 0
  },
}
