import { HoldfastError } from '../../core/errors.ts'
import { ensureHookToken, findFreePort, findHookToken, findRunningPort } from '../../harness/daemon-address.ts'
import { applyInstall, type ChangePlan, planInstall } from '../../harness/installer.ts'
import { isReadableByOthers } from '../../harness/settings-file.ts'
import type { HarnessSetup, HttpWiring, Scope, SetupWorld } from '../../harness/setup.ts'
import { setups } from '../../harness/setups.ts'
import { adviceOn, findSilencers, type Silencer } from '../../harness/silencer.ts'
import { unifiedDiff } from '../../harness/unified-diff.ts'
import { isSet } from '../arguments.ts'
import type { CliCommand, CliContext, CommandInput } from '../command.ts'
import { requestShutdown } from '../daemon-door.ts'
import { colorsOf, printJson, printLine } from '../output.ts'
import { chosenSetups, confirm, scopeOf, setupWorldOf } from '../setup-world.ts'

/** Stands in a dry run for a token that is not made yet, and in every diff for the one that is. */
const HIDDEN_TOKEN = '<hook token>'

interface Wiring {
  readonly http?: HttpWiring
  readonly fixPort: boolean
  readonly why: string
}

/** Straight calls to the daemon need a port that stays and a token in the settings: only where nobody else reads those. */
async function wiringFor(setup: HarnessSetup, world: SetupWorld, scope: Scope, input: CommandInput): Promise<Wiring> {
  const { options, context } = input
  const none = (why: string): Wiring => ({ fixPort: false, why })
  if (!setup.usesHttp || options.http === false) return none('every hook runs the launcher')
  const path = setup.settingsPath(world, scope)
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

function diffOf(plan: ChangePlan, token: string | undefined): string {
  const diff = plan.changes.map(({ before, after }) => unifiedDiff(before.path, before.text, after)).join('')
  return token === undefined ? diff : diff.replaceAll(token, HIDDEN_TOKEN)
}

function colored(diff: string, context: CliContext): string {
  const { green, red, dim } = colorsOf(context.io)
  return diff
    .split('\n')
    .map((line) =>
      line.startsWith('+') ? green(line) : line.startsWith('-') ? red(line) : line.startsWith('@') ? dim(line) : line,
    )
    .join('\n')
}

function harnessesToConnect(world: SetupWorld, { options }: CommandInput): readonly HarnessSetup[] {
  const chosen = chosenSetups(options, (setup) => setup.isPresent(world))
  if (chosen.length > 0) return chosen
  throw new HoldfastError('not-found', 'No harness was found on this machine.', {
    hint: `Name one: \`holdfast init --harness ${setups[0].id}\`.`,
  })
}

async function connect(setup: HarnessSetup, world: SetupWorld, input: CommandInput) {
  const { options, context } = input
  const scope = scopeOf(options)
  const isDryRun = isSet(options, 'dryRun')
  const isJson = isSet(options, 'json')
  const { http, fixPort, why } = await wiringFor(setup, world, scope, input)
  const plan = planInstall(setup, world, { scope, http, fixPort })
  const diff = diffOf(plan, http?.token)
  const result = {
    harness: setup.id,
    scope,
    settings: plan.settingsPath,
    isChanged: false,
    isDryRun,
    http: http !== undefined,
    diff,
  }
  const { bold, dim, green } = colorsOf(context.io)
  if (plan.changes.length === 0) {
    if (!isJson) printLine(context.io, `${bold(setup.name)} is connected already: ${plan.settingsPath}`)
    return result
  }
  const isAsked = !isSet(options, 'yes') && !isDryRun
  if (!isJson && (isDryRun || isAsked)) context.io.out(colored(diff, context))
  if (isDryRun) {
    if (!isJson) printLine(context.io, dim(`Nothing was written (${why}).`))
    return result
  }
  if (isAsked && !(await confirm(context, `Write this to connect ${setup.name}?`))) {
    printLine(context.io, 'Nothing was written.')
    return result
  }
  const settled = http === undefined ? undefined : { port: http.port, token: ensureHookToken(context.home) }
  applyInstall(planInstall(setup, world, { scope, http: settled, fixPort }), world)
  // It starts again by itself, on the port that hooks now call.
  if (settled !== undefined && ![undefined, settled.port].includes(findRunningPort(context.home)))
    await requestShutdown(context.home)
  if (!isJson) {
    printLine(context.io, `${green('✓')} ${bold(setup.name)} is connected: ${plan.settingsPath}`)
    printLine(context.io, dim(`  ${why}. Sessions started from now on are kept; \`holdfast doctor\` tries it out.`))
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
      .option('--harness <id>', `which one: ${setups.map((setup) => setup.id).join(', ')}`)
      .option('--all', 'every harness found on this machine')
      .option('--scope <scope>', 'user (all projects), project (shared) or local (only you, only here)', 'user')
      .option('-y, --yes', 'do not ask')
      .option('--dry-run', 'show the difference and write nothing')
      .option('--http', 'let tool hooks call the daemon directly even if others can read the settings')
      .option('--no-http', 'run the launcher for every hook')
      .addHelpText(
        'after',
        '\nExamples:\n  $ holdfast init\n  $ holdfast init --harness claude-code --yes\n  $ holdfast init --harness claude-code --dry-run',
      )
  },
  async run(input) {
    const { options, context } = input
    const world = setupWorldOf(context)
    const isTemporary = /[\\/]_npx[\\/]/.test(world.distDir)
    if (isTemporary)
      context.io.err('Holdfast runs from a cache of npx, which may be emptied: `npm install -g holdfast` lasts.\n')
    const results = []
    for (const setup of harnessesToConnect(world, input)) {
      const result = await connect(setup, world, input)
      const silencedBy = findSilencers(setup, world)
      results.push({ ...result, silencedBy })
      if (!isSet(options, 'json')) warnOf(silencedBy, context)
    }
    if (isSet(options, 'json')) printJson(context.io, { harnesses: results })
    return 0
  },
}
