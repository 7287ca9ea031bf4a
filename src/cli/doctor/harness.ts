import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Continuity } from '../../app/continuity.ts'
import { findHookToken, findRunningPort } from '../../install/daemon-address.ts'
import { readStoredDescriptor } from '../../install/installation.ts'
import { runProbe } from '../../install/run-probe.ts'
import {
  type HarnessSetup,
  type HttpWiring,
  PROBE_HOOK,
  type Probe,
  type SetupPorts,
} from '../../install/contract/setup.ts'
import { describeDisabling, describeRemedy, findDisablingSettings } from '../../install/inspect.ts'
import type { CliContext } from '../shared/command.ts'
import { type Check, fail, ok, warn } from './checks.ts'
import { checkEdits, type Connection, findHookReaches } from './connection.ts'
import { HoldfastError, getErrorMessage } from '../../kernel/errors.ts'
import { getConnector } from '../../harness/registry.ts'
import type { HookSighting } from '../../kernel/ports/ports.ts'

/** The version of hooks that do not report one. */
const UNKNOWN = 'unknown'

/** The version seen most recently. */
function findNewestVersion(seen: readonly HookSighting[]): string {
  const known = seen.filter(({ harnessVersion }) => harnessVersion !== UNKNOWN)
  return known.toSorted((a, b) => (a.lastSeenAt < b.lastSeenAt ? 1 : -1))[0]?.harnessVersion ?? UNKNOWN
}

function describeSightings(seen: readonly HookSighting[], newest: string, sessionVersion: string | undefined): string {
  const findName = (version: string) => (version === UNKNOWN ? (sessionVersion ?? 'version unknown') : version)
  const names = [...new Set(seen.map(({ harnessVersion }) => findName(harnessVersion)))]
  return names
    .toSorted((a, b) => Number(b === newest) - Number(a === newest))
    .map((name) => {
      const counts = new Map<string, number>()
      for (const { hook, count, harnessVersion } of seen)
        if (findName(harnessVersion) === name) counts.set(hook, (counts.get(hook) ?? 0) + count)
      return `${name}: ${[...counts].map(([hook, count]) => `${hook} ${count}`).join(', ')}`
    })
    .join('; ')
}

/** Compares the hooks seen with the hooks expected. One that only an earlier version sent means that the harness has changed. */
export async function checkSeen(
  setup: HarnessSetup,
  continuity: Pick<Continuity, 'sightings' | 'listSessions'>,
): Promise<readonly Check[]> {
  const subject = `${setup.id} events`
  const { hooks } = getConnector(setup.id)
  if (hooks.length === 0) return [ok(subject, 'none expected: this harness has no hooks')]
  const all = await continuity.sightings(setup.id)
  const seen = all.filter(({ harness, hook }) => harness === setup.id && hook !== PROBE_HOOK)
  if (seen.length === 0)
    return [warn(subject, 'none seen yet', `Start a session of ${setup.name}, then run this again.`)]
  const sessions = await continuity.listSessions({ limit: 20 })
  const newest = findNewestVersion(seen)
  const detail = describeSightings(seen, newest, sessions.find(({ harness }) => harness === setup.id)?.harnessVersion)
  const current = seen.filter(({ harnessVersion }) => harnessVersion === newest || harnessVersion === UNKNOWN)
  const names = new Set(current.map(({ hook }) => hook))
  const absent = hooks.filter(({ hook, isRoutine }) => isRoutine && !names.has(hook)).map(({ hook }) => hook)
  if (absent.length === 0) return [ok(subject, detail)]
  const lost = absent.filter((hook) => seen.some((sighting) => sighting.hook === hook))
  if (lost.length === 0)
    return [
      warn(subject, `${detail}; never ${absent.join(', ')}`, 'Normal until a whole session has run with Holdfast.'),
    ]
  return [
    warn(
      subject,
      `${detail}; not with ${newest}: ${lost.join(', ')}`,
      `${setup.name} may have changed. End a session with it and run this again; if it persists, report it with the output of \`holdfast doctor --json\`.`,
    ),
  ]
}

const NEWEST_SESSIONS = 5

/** Compares the size of the last injected text with the harness's limit. */
export async function checkInjected(
  setup: HarnessSetup,
  continuity: Pick<Continuity, 'listSessions' | 'explain'>,
): Promise<readonly Check[]> {
  const { maxOutputChars, recovery } = getConnector(setup.id).capabilities
  const subject = `${setup.id} injections`
  if (recovery === 'on-request') return [ok(subject, 'on request only: this harness cannot inject text')]
  const sessions = (await continuity.listSessions({ limit: 100 })).filter(({ harness }) => harness === setup.id)
  for (const { key } of sessions.slice(0, NEWEST_SESSIONS)) {
    const { injections } = await continuity.explain({ sessionKey: key })
    const last = injections.find(({ chars }) => chars > 0)
    if (last === undefined) continue
    const detail = `${last.kind} at ${last.at}, ${last.chars} of at most ${maxOutputChars} characters`
    return [
      last.chars <= maxOutputChars
        ? ok(subject, detail)
        : warn(subject, `${detail}: it was cut off`, 'Lower `continuity.recoveryBudgetChars`.'),
    ]
  }
  return [ok(subject, 'nothing injected yet')]
}

/** Asks the harness whether it trusts the hooks: some skip untrusted hooks silently. */
export async function checkTrust(setup: HarnessSetup, ports: SetupPorts): Promise<readonly Check[]> {
  if (setup.askTrust === undefined) return []
  const subject = `${setup.id} trust`
  const [advice] = setup.remainingSteps?.(ports, 'user') ?? []
  try {
    const answer = await setup.askTrust(ports)
    if (answer === undefined) return [warn(subject, `not checked: ${setup.name} is not in PATH`, advice ?? '')]
    const { trusted, untrusted, warnings } = answer
    const suffix = warnings.length === 0 ? '' : `; its warnings: ${warnings.join('; ')}`
    if (untrusted.length > 0) return [fail(subject, `not given: ${untrusted.join(', ')}${suffix}`, advice ?? '')]
    if (trusted.length === 0) return [fail(subject, `${setup.name} does not see the hooks${suffix}`, advice ?? '')]
    const detail = `${setup.name} trusts ${trusted.length} hooks`
    return [warnings.length === 0 ? ok(subject, detail) : warn(subject, `${detail}${suffix}`, 'Fix what they name.')]
  } catch (error) {
    const hint = error instanceof HoldfastError ? error.hint : undefined
    return [warn(subject, `not checked: ${getErrorMessage(error)}`, hint ?? advice ?? '')]
  }
}

/** The daemon writes repeated sightings in batches, every few seconds. */
const ARRIVAL_TRIES = 70
const ARRIVAL_WAIT_MS = 100

export type DoctorContinuity = Pick<Continuity, 'sightings' | 'listSessions' | 'explain'>

export interface HarnessDoctor extends Connection {
  readonly continuity?: DoctorContinuity
}

function checkFiles(setup: HarnessSetup, ports: SetupPorts): Check {
  const needed = ports.platform === 'win32' ? ['hook.cjs'] : ['launcher.sh', 'launcher-fallback.sh', 'hook.cjs']
  const missing = needed
    .map((name) => join(ports.distDir, name))
    .filter((path) => {
      try {
        accessSync(path, constants.R_OK)
        return false
      } catch {
        // A missing and an unreadable file both stop the hook.
        return true
      }
    })
  return missing.length === 0
    ? ok(`${setup.id} files`, 'launcher and Node client found')
    : fail(`${setup.id} files`, `missing: ${missing.join(', ')}`, 'Reinstall Holdfast, then run `holdfast init`.')
}

function checkSilencers(setup: HarnessSetup, ports: SetupPorts): readonly Check[] {
  return findDisablingSettings(setup, ports).map((disabling) =>
    fail(`${setup.id} silenced`, `no hook runs: ${describeDisabling(setup, disabling)}`, describeRemedy(disabling)),
  )
}

function checkHttp(setup: HarnessSetup, context: CliContext, http: HttpWiring | undefined): readonly Check[] {
  if (http === undefined) return []
  const subject = `${setup.id} http`
  const again = `Run \`holdfast init --harness ${setup.id}\`, then \`holdfast daemon stop\`.`
  const running = findRunningPort(context.home)
  if (findHookToken(context.home) !== http.token) return [fail(subject, 'the token in the settings is outdated', again)]
  if (running !== undefined && running !== http.port)
    return [fail(subject, `the settings name port ${http.port}, the daemon listens on ${running}`, again)]
  return [ok(subject, `hooks and daemon agree on port ${http.port}`)]
}

async function probesSeen(continuity: DoctorContinuity, harness: string): Promise<number> {
  const sightings = await continuity.sightings(harness)
  return sightings.filter(({ hook }) => hook === PROBE_HOOK).reduce((sum, sighting) => sum + sighting.count, 0)
}

/** A hook prints nothing and exits with 0 in any case, so the daemon is asked whether the event arrived. */
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
  const hint = `Set HOLDFAST_DEBUG=1 for more detail in the hook log, ${context.home.hookLog}.`
  if (continuity === undefined && probe.way === 'mcp')
    return warn(subject, 'not tried: it needs the daemon', 'Run this again once the daemon answers.')
  const seenBefore = continuity === undefined || probe.way !== 'command' ? 0 : await probesSeen(continuity, setup.id)
  const { isOk, durationMs, detail } = await runProbe(probe, context.env)
  const result = `ran in ${durationMs} ms: ${detail}`
  if (!isOk) return fail(subject, result, hint)
  // Only a command hook needs the check for arrival: the others answer.
  if (probe.way !== 'command') return ok(subject, result)
  if (continuity === undefined)
    return warn(subject, `${result}; not checked whether it arrived`, 'Start the daemon first.')
  if (await hasArrived(continuity, setup.id, seenBefore)) return ok(subject, `${result}, and the daemon received it`)
  return fail(subject, `${result}, but the daemon did not receive it`, hint)
}

/** Only what belongs to one descriptor: several share the harness id `generic`. */
function filterByDescriptor(descriptor: string, continuity: DoctorContinuity): DoctorContinuity {
  return {
    sightings: async (harness) =>
      (await continuity.sightings(harness)).filter(
        ({ hook }) => hook === PROBE_HOOK || hook.startsWith(`${descriptor}.`),
      ),
    listSessions: async (query) =>
      (await continuity.listSessions(query)).filter(({ key }) => key.startsWith(`${descriptor}:`)),
    explain: (query) => continuity.explain(query),
  }
}

/** All checks of one connection, under the name of its descriptor if it has one. */
export async function checkHarness(context: CliContext, doctor: HarnessDoctor): Promise<readonly Check[]> {
  const { setup, continuity, record } = doctor
  const descriptor = record === undefined ? undefined : readStoredDescriptor(record)
  if (descriptor === undefined) return checkOne(context, doctor)
  const checks = await checkOne(context, {
    ...doctor,
    setup: { ...setup, name: descriptor.title ?? descriptor.name },
    ...(continuity === undefined ? {} : { continuity: filterByDescriptor(descriptor.name, continuity) }),
  })
  return checks.map((check) => ({
    ...check,
    subject: check.subject.replace(setup.id, `${setup.id} ${descriptor.name}`),
  }))
}

async function checkOne(context: CliContext, doctor: HarnessDoctor): Promise<readonly Check[]> {
  const { setup, ports, continuity } = doctor
  if (setup.takesDescriptor === true && doctor.record === undefined)
    return [
      warn(`${setup.id} page`, 'not connected', `Run \`holdfast init --harness ${setup.id} --config FILE.json\`.`),
    ]
  const edits = checkEdits(doctor)
  if (edits.some(({ verdict }) => verdict === 'fail')) return [...edits, ...checkSilencers(setup, ports)]
  const checks = [...edits, ...checkSilencers(setup, ports), checkFiles(setup, ports)]
  checks.push(...(await checkTrust(setup, ports)))
  for (const { reach, text } of findHookReaches(doctor)) {
    checks.push(...checkHttp(setup, context, reach.findHttp(text)))
    for (const probe of reach.probes(text)) checks.push(await checkProbe(probe, context, doctor))
  }
  if (continuity !== undefined)
    checks.push(...(await checkSeen(setup, continuity)), ...(await checkInjected(setup, continuity)))
  return checks
}
