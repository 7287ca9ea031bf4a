import { HoldfastError } from '../../core/errors.ts'
import { ensureHookToken, findFreePort, findHookToken, findRunningPort } from '../../harness/daemon-address.ts'
import { applyInstall } from '../../harness/installer.ts'
import { piecesOf } from '../../harness/installation.ts'
import { type InstallOptions, planInstall } from '../../harness/plan-install.ts'
import { isReadableByOthers } from '../../harness/settings-file.ts'
import type { HarnessSetup, HttpWiring, Scope, SetupWorld } from '../../harness/setup.ts'
import { setups } from '../../harness/setups.ts'
import { adviceOn, findSilencers, type Silencer } from '../../harness/silencer.ts'
import { collect, isSet } from '../arguments.ts'
import { coloredDiff, diffOf, HIDDEN_TOKEN, printNotices } from '../change-diff.ts'
import type { CliCommand, CliContext, CommandInput } from '../command.ts'
import { requestShutdown } from '../daemon-door.ts'
import { colorsOf, count, printJson, printLine } from '../output.ts'
import { ask, confirm, namedSetups, scopeOf, setupWorldOf, whenNobodyInterferes } from '../setup-world.ts'

interface Wiring {
  readonly http?: HttpWiring
  readonly fixPort: boolean
  /** How hooks reach the daemon, where there is a choice. */
  readonly why?: string
}

/** Straight calls to the daemon need a port that stays and a token in the settings: only where nobody else reads those. */
async function wiringFor(setup: HarnessSetup, world: SetupWorld, scope: Scope, input: CommandInput): Promise<Wiring> {
  const { options, context } = input
  const none = (why: string): Wiring => ({ fixPort: false, why })
  const path = piecesOf(setup, world, { scope }).find((piece) => piece.kind === 'hooks')?.path
  if (!setup.usesHttp || path === undefined) return { fixPort: false }
  if (options.http === false) return none('every hook runs the launcher')
  if (scope === 'project')
    return none('every hook runs the launcher: project settings are shared, and a token must not be')
  if (options.http !== true && isReadableByOthers(path))
    return none(`every hook runs the launcher: other users can read ${path}, and a token must not be there`)
  const configured = context.config.daemon.port
  const port = configured === 0 ? await findFreePort() : configured
  // Made only once there is a yes: a refusal leaves nothing behind.
  const token = findHookToken(context.home) ?? HIDDEN_TOKEN
  return { http: { port, token }, fixPort: configured === 0, why: `tool hooks call the daemon on port ${port}` }
}

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
  if (named.length > 0) return named
  const found = setups.filter((setup) => setup.isPresent(world))
  if (found.length === 0)
    throw new HoldfastError('not-found', 'No harness was found on this machine.', {
      hint: `Name one: \`holdfast init --harness ${setups[0].id}\`.`,
    })
  const isAsked = found.length > 1 && context.io.isInteractive && !isSet(options, 'all') && !isSet(options, 'yes')
  return isAsked && !isSet(options, 'json') ? askWhich(found, context) : found
}

function scopeFor(setup: HarnessSetup, { options }: CommandInput): Scope {
  const scope = scopeOf(options) ?? setup.scopes[0] ?? 'user'
  if (setup.scopes.includes(scope)) return scope
  throw new HoldfastError('unsupported', `${setup.name} has no place for the scope ${scope}.`, {
    hint: `It has ${setup.scopes.join(', ')}.`,
  })
}

async function connect(setup: HarnessSetup, world: SetupWorld, input: CommandInput) {
  const { options, context } = input
  const scope = scopeFor(setup, input)
  const isDryRun = isSet(options, 'dryRun')
  const isJson = isSet(options, 'json')
  const { http, fixPort, why } = await wiringFor(setup, world, scope, input)
  const wants = wantsOf(input)
  const plan = planInstall(setup, world, { scope, http, fixPort, wants })
  const diff = diffOf(plan, http?.token)
  const remainingSteps = setup.remainingSteps?.(world, scope) ?? []
  const result = {
    harness: setup.id,
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
    if (!isJson) printLine(context.io, `${bold(setup.name)} is connected already: ${plan.mainPath}`)
    return result
  }
  const isAsked = !isSet(options, 'yes') && !isDryRun
  if (!isJson && (isDryRun || isAsked)) context.io.out(coloredDiff(diff, context))
  if (isDryRun) {
    if (!isJson) printLine(context.io, dim(`Nothing was written${why === undefined ? '' : ` (${why})`}.`))
    return result
  }
  if (isAsked && !(await confirm(context, `Write this to connect ${setup.name}?`))) {
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
    printLine(context.io, `${green('✓')} ${bold(setup.name)} is connected: ${plan.mainPath} (${written} written)`)
    const how = why === undefined ? '' : `${why}. `
    printLine(context.io, dim(`  ${how}Sessions started from now on are kept; \`holdfast doctor\` tries it out.`))
    for (const step of remainingSteps) printLine(context.io, `  ${step}`)
  }
  return { ...result, isChanged: true }
}

function warnOf(silencers: readonly Silencer[], context: CliContext): void {
  const { yellow, dim } = colorsOf(context.io)
  for (const silencer of silencers) {
    printLine(context.io, `${yellow('!')} No hook runs: ${silencer.path} sets \`${silencer.setting}\`.`)
    printLine(context.io, dim(`  ${adviceOn(silencer)}`))
  }
}

export const initCommand: CliCommand = {
  name: 'init',
  summary: 'connect a harness: shows what it would write, and asks',
  configure(command) {
    command
      .option('--harness <id>', `which one; may be repeated: ${setups.map((setup) => setup.id).join(', ')}`, collect)
      .option('--all', 'every harness found on this machine')
      .option(
        '--scope <scope>',
        'user (all projects), project (shared) or local (only you, only here); user unless given',
      )
      .option('-y, --yes', 'do not ask')
      .option('--dry-run', 'show the difference and write nothing')
      .option('--http', 'let tool hooks call the daemon directly even if others can read the settings')
      .option('--no-http', 'run the launcher for every hook')
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
    const world = setupWorldOf(context)
    const isTemporary = /[\\/]_npx[\\/]/.test(world.distDir)
    if (isTemporary)
      context.io.err('Holdfast runs from a cache of npx, which may be emptied: `npm install -g holdfast` lasts.\n')
    const results = []
    const chosen = await harnessesToConnect(world, input)
    let hasFailed = false
    for (const setup of chosen) {
      try {
        const result = await connect(setup, world, input)
        const silencedBy = findSilencers(setup, world)
        results.push({ ...result, silencedBy })
        if (!isSet(options, 'json')) warnOf(silencedBy, context)
      } catch (thrown) {
        // Settings of one that cannot be edited are no reason to leave the others unconnected.
        if (chosen.length === 1 || !(thrown instanceof HoldfastError) || thrown.code === 'invalid-input') throw thrown
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
