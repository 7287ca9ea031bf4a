import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Continuity } from '../../app/continuity.ts'
import { findHookToken, findRunningPort } from '../../install/daemon-address.ts'
import { pageOf } from '../../install/installation.ts'
import { runProbe } from '../../install/run-probe.ts'
import { type HarnessSetup, type HttpWiring, PROBE_HOOK, type Probe, type SetupWorld } from '../../install/setup.ts'
import { adviceOn, findSilencers } from '../../install/disabling-setting.ts'
import type { CliContext } from '../shared/command.ts'
import { type Check, fail, ok, warn } from './checks.ts'
import { checkSeen } from './seen-hooks.ts'
import { checkTold } from './injections.ts'
import { checkTrust } from './trust.ts'
import { checkPieces, type Connection, reachesOf } from './edits.ts'

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
