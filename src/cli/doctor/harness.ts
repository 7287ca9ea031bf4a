import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Continuity } from '../../app/continuity.ts'
import { findHookToken, findRunningPort } from '../../install/daemon-address.ts'
import { pageOf } from '../../install/installation.ts'
import { runProbe } from '../../install/run-probe.ts'
import {
  type HarnessSetup,
  type HttpWiring,
  PROBE_HOOK,
  type Probe,
  type SetupWorld,
} from '../../install/contract/setup.ts'
import { adviceOn, findSilencers } from '../../install/disabling-setting.ts'
import type { CliContext } from '../shared/command.ts'
import { type Check, fail, ok, warn } from './checks.ts'
import { checkPieces, type Connection, reachesOf } from './edits.ts'
import { HoldfastError, messageOf } from '../../kernel/errors.ts'
import { getConnector } from '../../harness/registry.ts'
import type { Sighting } from '../../kernel/ports/ports.ts'

/** What a hook that told no version is seen with. */
const UNKNOWN = 'unknown'

/** The version that was heard from last. */
function newestOf(seen: readonly Sighting[]): string {
  const known = seen.filter(({ harnessVersion }) => harnessVersion !== UNKNOWN)
  return known.toSorted((a, b) => (a.lastSeenAt < b.lastSeenAt ? 1 : -1))[0]?.harnessVersion ?? UNKNOWN
}

function toldOf(seen: readonly Sighting[], newest: string, told: string | undefined): string {
  const versions = [...new Set(seen.map(({ harnessVersion }) => harnessVersion))]
  return versions
    .toSorted((a, b) => Number(b === newest) - Number(a === newest))
    .map((version) => {
      const own = seen.filter(({ harnessVersion }) => harnessVersion === version)
      const name = version === UNKNOWN ? (told ?? 'version unknown') : version
      return `${name}: ${own.map(({ hook, count }) => `${hook} ${count}`).join(', ')}`
    })
    .join('; ')
}

/** What was seen of the hooks that we expect from the version in use: one that came with an earlier version and comes no more is a change of the harness. */
export async function checkSeen(
  setup: HarnessSetup,
  continuity: Pick<Continuity, 'sightings' | 'listSessions'>,
): Promise<readonly Check[]> {
  const subject = `${setup.id} events`
  const { hooks } = getConnector(setup.id)
  if (hooks.length === 0) return [ok(subject, 'none to expect: this harness has no hooks')]
  const all = await continuity.sightings(setup.id)
  const seen = all.filter(({ harness, hook }) => harness === setup.id && hook !== PROBE_HOOK)
  if (seen.length === 0) return [warn(subject, 'none seen yet', `Start a session of ${setup.name}, then look again.`)]
  const sessions = await continuity.listSessions({ limit: 20 })
  const newest = newestOf(seen)
  const detail = toldOf(seen, newest, sessions.find(({ harness }) => harness === setup.id)?.harnessVersion)
  const current = seen.filter(({ harnessVersion }) => harnessVersion === newest || harnessVersion === UNKNOWN)
  const names = new Set(current.map(({ hook }) => hook))
  const absent = hooks.filter(({ hook, isRoutine }) => isRoutine && !names.has(hook)).map(({ hook }) => hook)
  if (absent.length === 0) return [ok(subject, detail)]
  const lost = absent.filter((hook) => seen.some((sighting) => sighting.hook === hook))
  if (lost.length === 0)
    return [
      warn(
        subject,
        `${detail}; never ${absent.join(', ')}`,
        'Normal until a session has begun and ended with Holdfast.',
      ),
    ]
  return [
    warn(
      subject,
      `${detail}; not with ${newest}: ${lost.join(', ')}`,
      `${setup.name} may have changed: end a session with it, then look again. If it stays so, report it with \`holdfast doctor --json\`.`,
    ),
  ]
}

const NEWEST_SESSIONS = 5

/** The last thing that was put before an agent of this harness, and its size against what arrives whole there. */
export async function checkTold(
  setup: HarnessSetup,
  continuity: Pick<Continuity, 'listSessions' | 'explain'>,
): Promise<readonly Check[]> {
  const { maxOutputChars, recovery } = getConnector(setup.id).capabilities
  const subject = `${setup.id} told`
  if (recovery === 'on-request')
    return [ok(subject, 'the agent asks for itself: this harness shows it nothing of ours')]
  const sessions = (await continuity.listSessions({ limit: 100 })).filter(({ harness }) => harness === setup.id)
  for (const { key } of sessions.slice(0, NEWEST_SESSIONS)) {
    const { injections } = await continuity.explain({ sessionKey: key })
    const last = injections.find(({ chars }) => chars > 0)
    if (last === undefined) continue
    const told = `${last.kind} at ${last.at}, ${last.chars} of at most ${maxOutputChars} characters`
    return [
      last.chars <= maxOutputChars
        ? ok(subject, told)
        : warn(subject, `${told}: it did not arrive whole`, 'Lower `continuity.recoveryBudgetChars`.'),
    ]
  }
  return [ok(subject, 'nothing yet: there was nothing to tell')]
}

/** What the harness itself says: one that wants to be told skips our hooks without a word until it is. */
export async function checkTrust(setup: HarnessSetup, world: SetupWorld): Promise<readonly Check[]> {
  if (setup.askTrust === undefined) return []
  const subject = `${setup.id} trust`
  const [advice] = setup.remainingSteps?.(world, 'user') ?? []
  try {
    const answer = await setup.askTrust(world)
    if (answer === undefined)
      return [warn(subject, `${setup.name} is not on the path, so it could not be asked`, advice ?? '')]
    const { trusted, untrusted, warnings } = answer
    const said = warnings.length === 0 ? '' : `; it says: ${warnings.join('; ')}`
    if (untrusted.length > 0) return [fail(subject, `not given: ${untrusted.join(', ')}${said}`, advice ?? '')]
    if (trusted.length === 0) return [fail(subject, `${setup.name} sees no hook of ours${said}`, advice ?? '')]
    const told = `${setup.name} itself says that it will run ${trusted.length} hooks of ours`
    return [warnings.length === 0 ? ok(subject, told) : warn(subject, `${told}${said}`, 'Put right what it names.')]
  } catch (error) {
    const hint = error instanceof HoldfastError ? error.hint : undefined
    return [warn(subject, `could not be asked: ${messageOf(error)}`, hint ?? advice ?? '')]
  }
}

/** The daemon writes repeated sightings of one hook together, every few seconds. */
const ARRIVAL_TRIES = 70
const ARRIVAL_WAIT_MS = 100

/** The part of the use cases that a doctor asks. */
export type DoctorContinuity = Pick<Continuity, 'sightings' | 'listSessions' | 'explain'>

export interface HarnessDoctor extends Connection {
  readonly continuity?: DoctorContinuity
}

function checkFiles(setup: HarnessSetup, world: SetupWorld): Check {
  const needed = world.platform === 'win32' ? ['hook.cjs'] : ['launcher.sh', 'hook.cjs']
  const missing = needed
    .map((name) => join(world.distDir, name))
    .filter((path) => {
      try {
        accessSync(path, constants.R_OK)
        return false
      } catch {
        // Missing and unreadable come to the same: the hook cannot run.
        return true
      }
    })
  return missing.length === 0
    ? ok(`${setup.id} files`, 'the launcher and the Node client are there')
    : fail(`${setup.id} files`, `missing: ${missing.join(', ')}`, 'Install Holdfast again, then run `holdfast init`.')
}

function checkSilencers(setup: HarnessSetup, world: SetupWorld): readonly Check[] {
  return findSilencers(setup, world).map((silencer) =>
    fail(
      `${setup.id} silenced`,
      `${silencer.path} switches our hooks off by \`${silencer.setting}\``,
      adviceOn(silencer),
    ),
  )
}

function checkHttp(setup: HarnessSetup, context: CliContext, http: HttpWiring | undefined): readonly Check[] {
  if (http === undefined) return []
  const subject = `${setup.id} http`
  const again = `Run \`holdfast init --harness ${setup.id}\`, then \`holdfast daemon stop\`.`
  const running = findRunningPort(context.home)
  if (findHookToken(context.home) !== http.token)
    return [fail(subject, 'the token in the settings is not the one in use', again)]
  if (running !== undefined && running !== http.port)
    return [fail(subject, `the settings name port ${http.port}, the daemon listens on ${running}`, again)]
  return [ok(subject, `hooks and daemon agree on port ${http.port}`)]
}

async function probesSeen(continuity: DoctorContinuity, harness: string): Promise<number> {
  const sightings = await continuity.sightings(harness)
  return sightings.filter(({ hook }) => hook === PROBE_HOOK).reduce((sum, sighting) => sum + sighting.count, 0)
}

/** A hook is silent and ends well whatever happens, so that it arrived has to be asked of the other end. */
async function hasArrived(continuity: DoctorContinuity, harness: string, seenBefore: number): Promise<boolean> {
  for (let tries = 0; tries < ARRIVAL_TRIES; tries += 1) {
    if ((await probesSeen(continuity, harness)) > seenBefore) return true
    await setTimeout(ARRIVAL_WAIT_MS)
  }
  return false
}

async function checkProbe(probe: Probe, context: CliContext, doctor: HarnessDoctor): Promise<Check> {
  const { setup, continuity } = doctor
  const subject = `${setup.id} ${probe.way === 'mcp' ? 'mcp server' : `${probe.way} hook`}`
  const more = `\`HOLDFAST_DEBUG=1\` makes hooks say more; their log is ${context.home.hookLog}.`
  if (continuity === undefined && probe.way === 'mcp')
    return warn(subject, 'not tried: it waits for a daemon', 'Look again once the daemon answers.')
  const seenBefore = continuity === undefined || probe.way !== 'command' ? 0 : await probesSeen(continuity, setup.id)
  const { isOk, durationMs, detail } = await runProbe(probe, context.env)
  const told = `ran for real in ${durationMs} ms: ${detail}`
  if (!isOk) return fail(subject, told, more)
  // An answer is proof enough; a command is silent either way.
  if (probe.way !== 'command') return ok(subject, told)
  if (continuity === undefined)
    return warn(subject, `${told}; whether it arrived cannot be told`, 'Start the daemon first.')
  if (await hasArrived(continuity, setup.id, seenBefore)) return ok(subject, `${told}, and the daemon heard of it`)
  return fail(subject, `${told}, but the daemon never heard of it`, more)
}

/** What one page's harness told: others are of the harness `generic` too. */
function toldBy(page: string, continuity: DoctorContinuity): DoctorContinuity {
  return {
    sightings: async (harness) =>
      (await continuity.sightings(harness)).filter(({ hook }) => hook === PROBE_HOOK || hook.startsWith(`${page}.`)),
    listSessions: async (query) =>
      (await continuity.listSessions(query)).filter(({ key }) => key.startsWith(`${page}:`)),
    explain: (query) => continuity.explain(query),
  }
}

/** By the name that its page gives it, where it has one. */
export async function checkHarness(context: CliContext, doctor: HarnessDoctor): Promise<readonly Check[]> {
  const { setup, continuity, record } = doctor
  const page = record === undefined ? undefined : pageOf(record)
  if (page === undefined) return checkOne(context, doctor)
  const checks = await checkOne(context, {
    ...doctor,
    setup: { ...setup, name: page.title ?? page.name },
    ...(continuity === undefined ? {} : { continuity: toldBy(page.name, continuity) }),
  })
  return checks.map((check) => ({ ...check, subject: check.subject.replace(setup.id, `${setup.id} ${page.name}`) }))
}

async function checkOne(context: CliContext, doctor: HarnessDoctor): Promise<readonly Check[]> {
  const { setup, world, continuity } = doctor
  if (setup.takesPage === true && doctor.record === undefined)
    return [
      warn(`${setup.id} page`, 'none is connected', `Run \`holdfast init --harness ${setup.id} --config FILE.json\`.`),
    ]
  const pieces = checkPieces(doctor)
  if (pieces.some(({ verdict }) => verdict === 'fail')) return [...pieces, ...checkSilencers(setup, world)]
  const checks = [...pieces, ...checkSilencers(setup, world), checkFiles(setup, world)]
  checks.push(...(await checkTrust(setup, world)))
  for (const { reach, text } of reachesOf(doctor)) {
    checks.push(...checkHttp(setup, context, reach.findHttp(text)))
    for (const probe of reach.probes(text)) checks.push(await checkProbe(probe, context, doctor))
  }
  if (continuity !== undefined)
    checks.push(...(await checkSeen(setup, continuity)), ...(await checkTold(setup, continuity)))
  return checks
}
