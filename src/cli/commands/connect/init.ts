import { HoldfastError } from '../../../kernel/errors.ts'
import { ensureHookToken, findRunningPort } from '../../../install/daemon-address.ts'
import { applyInstall } from '../../../install/installer.ts'
import { type InstallOptions, planInstall } from '../../../install/plan-install.ts'
import type { HarnessSetup, Scope, SetupWorld } from '../../../install/contract/setup.ts'
import { setups } from '../../../harness/setups.ts'
import { adviceOn, findSilencers, type Silencer } from '../../../install/disabling-setting.ts'
import { collect, isSet, textOption } from '../../shared/arguments.ts'
import { askingDiffOf, coloredDiff, diffOf, printNotices } from '../../setup/change-diff.ts'
import type { CliCommand, CliContext, CommandInput } from '../../shared/command.ts'
import { requestShutdown } from '../../shared/daemon-access.ts'
import { wiringFor } from '../../setup/hook-wiring.ts'
import { nameOf, pageOption, refuseMovedPage, type Target, targetsFor } from '../../setup/descriptor-option.ts'
import { colorsOf, count, printJson, printLine } from '../../shared/output.ts'
import { ask, confirm, namedSetups, scopeOf, setupWorldOf, whenNobodyInterferes } from '../../setup/setup-ports.ts'

/** Skills are commands where the harness has those apart. */
function wantsOf({ options }: CommandInput): NonNullable<InstallOptions['wants']> {
  const said = (name: string) => (typeof options[name] === 'boolean' ? options[name] : undefined)
  const [mcp, skills, snippet] = [said('mcp'), said('skills'), said('snippet')]
  return {
    ...(mcp === undefined ? {} : { mcp }),
    ...(skills === undefined ? {} : { skills, commands: skills }),
    ...(snippet === undefined ? {} : { snippet }),
  }
}

async function askWhich(found: readonly HarnessSetup[], context: CliContext): Promise<readonly HarnessSetup[]> {
  for (const [index, { name }] of found.entries()) printLine(context.io, `  ${index + 1}  ${name}`)
  const answer = await ask(context, 'Connect which? Numbers, or Enter for all: ')
  if (answer === '') return found
  const chosen = answer.split(/[\s,]+/).map((word) => found[Number(word) - 1])
  if (chosen.every((setup) => setup !== undefined)) return [...new Set(chosen)]
  throw new HoldfastError(
    'invalid-input',
    `${JSON.stringify(answer)} is not a choice of numbers from 1 to ${found.length}.`,
  )
}

async function harnessesToConnect(world: SetupWorld, input: CommandInput): Promise<readonly HarnessSetup[]> {
  const { options, context } = input
  const named = namedSetups(options)
  const hasPage = textOption(options, 'config') !== undefined
  if (hasPage && named.length > 0 && !named.some((setup) => setup.takesPage === true))
    throw new HoldfastError('invalid-input', '`--config` is for `--harness generic`: every other harness is known.')
  if (named.length > 0) return named
  if (hasPage) return setups.filter((setup) => setup.takesPage === true)
  const found = setups.filter((setup) => setup.isPresent(world))
  if (found.length === 0)
    throw new HoldfastError('not-found', 'No harness was found on this machine.', {
      hint: `Name one: \`holdfast init --harness ${setups[0].id}\`.`,
    })
  const isAsked = found.length > 1 && context.io.isInteractive && !isSet(options, 'all') && !isSet(options, 'yes')
  return isAsked && !isSet(options, 'json') ? askWhich(found, context) : found
}

function scopeFor(setup: HarnessSetup, { world, scope: before }: Target, { options }: CommandInput): Scope {
  const scope = scopeOf(options) ?? before ?? setup.scopes[0] ?? 'user'
  const hasPlace = setup.pieces(world, scope, undefined).length + (setup.remainingSteps?.(world, scope) ?? []).length
  if (setup.scopes.includes(scope) && hasPlace > 0) return scope
  throw new HoldfastError('unsupported', `${setup.name} has no place for the scope ${scope}.`, {
    hint: `It has ${setup.scopes.join(', ')}.`,
  })
}

async function connect(setup: HarnessSetup, target: Target, input: CommandInput) {
  const { options, context } = input
  const { world } = target
  const scope = scopeFor(setup, target, input)
  const name = nameOf(setup, world)
  const isDryRun = isSet(options, 'dryRun')
  const isJson = isSet(options, 'json')
  const { http, fixPort, why } = await wiringFor(setup, world, scope, input)
  const wants = wantsOf(input)
  const plan = planInstall(setup, world, { scope, http, fixPort, wants })
  refuseMovedPage(world, plan.previous)
  const diff = diffOf(plan, http?.token)
  const remainingSteps = setup.remainingSteps?.(world, scope) ?? []
  const result = {
    harness: setup.id,
    ...(world.page === undefined ? {} : { page: world.page.name }),
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
  const { bold, dim, green } = colorsOf(context.io)
  if (!isJson) printNotices(plan, context)
  if (plan.changes.length === 0) {
    if (!isDryRun) applyInstall(plan, world)
    const told =
      plan.previous === undefined ? 'is connected: nothing had to be written' : `is connected already: ${plan.mainPath}`
    if (!isJson) printLine(context.io, `${bold(name)} ${told}`)
    if (!isJson && plan.previous === undefined) for (const step of remainingSteps) printLine(context.io, `  ${step}`)
    return result
  }
  const isAsked = !isSet(options, 'yes') && !isDryRun
  if (!isJson && (isDryRun || isAsked))
    context.io.out(coloredDiff(isDryRun ? diff : askingDiffOf(plan, http?.token), context))
  if (isDryRun) {
    if (!isJson) printLine(context.io, dim(`Nothing was written${why === undefined ? '' : ` (${why})`}.`))
    return result
  }
  if (
    isAsked &&
    !(await confirm(context, `Write this, to ${count(plan.changes.length, 'file')}, to connect ${name}?`))
  ) {
    printLine(context.io, 'Nothing was written.')
    return result
  }
  const settled = http === undefined ? undefined : { port: http.port, token: ensureHookToken(context.home) }
  whenNobodyInterferes(() => applyInstall(planInstall(setup, world, { scope, http: settled, fixPort, wants }), world))
  // It starts again by itself, on the port that hooks now call.
  if (settled !== undefined && ![undefined, settled.port].includes(findRunningPort(context.home)))
    await requestShutdown(context.home)
  if (!isJson) {
    const written = count(plan.changes.length, 'file')
    printLine(context.io, `${green('✓')} ${bold(name)} is connected: ${plan.mainPath} (${written} written)`)
    const how = why === undefined ? '' : `${why}. `
    const isTold = setup.pieces(world, scope, settled).some(({ kind }) => kind === 'hooks' || kind === 'plugin')
    const kept = isTold ? 'Sessions started from now on are kept; ' : ''
    printLine(context.io, dim(`  ${how}${kept}\`holdfast doctor\` tries it out.`))
    for (const step of remainingSteps) printLine(context.io, `  ${step}`)
  }
  return { ...result, isChanged: true }
}

function warnOf(silencers: readonly Silencer[], context: CliContext): void {
  const { yellow, dim } = colorsOf(context.io)
  for (const silencer of silencers) {
    printLine(context.io, `${yellow('!')} No hook runs: ${silencer.path} has \`${silencer.setting}\`.`)
    printLine(context.io, dim(`  ${adviceOn(silencer)}`))
  }
}

export const initCommand: CliCommand = {
  name: 'init',
  summary: 'connect a harness: shows what it would write, and asks',
  configure(command) {
    command
      .option('--harness <id>', `which one; may be repeated: ${setups.map((setup) => setup.id).join(', ')}`, collect)
      .option('--config <file>', 'the page of JSON that describes a harness Holdfast has no code for (generic)')
      .option('--all', 'every harness found on this machine')
      .option(
        '--scope <scope>',
        'user (all projects), project (shared) or local (only you, only here); user unless given',
      )
      .option('-y, --yes', 'do not ask')
      .option('--dry-run', 'show the difference and write nothing')
      .option('--http', 'let tool hooks call the daemon directly: faster, but they wait while it is stopped')
      .option('--no-http', 'run the launcher for every hook, as is usual; after an init with --http')
      .option('--mcp', 'have the MCP tools, after an init without them')
      .option('--no-mcp', 'leave out the MCP tools')
      .option('--skills', 'have the skills, after an init without them')
      .option('--no-skills', 'leave out the skills, which are the slash commands too')
      .option('--snippet', 'have the lines in CLAUDE.md or its like, after an init without them')
      .option('--no-snippet', 'leave CLAUDE.md or its like alone')
      .addHelpText(
        'after',
        '\nWhat is left out stays so at the next init. A skill or a line that you changed is never overwritten.\n\nExamples:\n  $ holdfast init\n  $ holdfast init --harness claude-code --yes\n  $ holdfast init --harness claude-code --no-snippet --dry-run',
      )
  },
  async run(input) {
    const { options, context } = input
    // Refused without one: no daemon would start, and nothing be kept of what is connected.
    void context.config
    const world = setupWorldOf(context)
    const isTemporary = /[\\/]_npx[\\/]/.test(world.distDir)
    if (isTemporary)
      context.io.err('Holdfast runs from a cache of npx, which may be emptied: `npm link` in a checkout lasts.\n')
    const results = []
    const chosen = await harnessesToConnect(world, input)
    let hasFailed = false
    const page = pageOption(input)
    const targets = chosen.flatMap((setup) => targetsFor(setup, world, page).map((target) => ({ setup, target })))
    for (const { setup, target } of targets) {
      try {
        const result = await connect(setup, target, input)
        const silencedBy = findSilencers(setup, target.world)
        results.push({ ...result, silencedBy })
        if (!isSet(options, 'json')) warnOf(silencedBy, context)
      } catch (thrown) {
        // Settings of one that cannot be edited are no reason to leave the others unconnected.
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
