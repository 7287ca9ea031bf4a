import { accessSync, constants, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseSpoolName } from '../client/spool-name.ts'
import { messageOf } from '../core/errors.ts'
import type { Continuity } from '../core/continuity.ts'
import type { Sighting } from '../core/ports.ts'
import { findHookToken, findRunningPort } from '../harness/daemon-address.ts'
import type { Installation } from '../harness/manifest.ts'
import { getConnector } from '../harness/registry.ts'
import { runProbe } from '../harness/run-probe.ts'
import { readSettingsFile } from '../harness/settings-file.ts'
import { type HarnessSetup, PROBE_HOOK, type SetupWorld } from '../harness/setup.ts'
import { errnoOf } from '../platform/errno.ts'
import type { CliContext } from './command.ts'
import { findHealth } from './daemon-door.ts'
import { count } from './output.ts'

export interface Check {
  readonly subject: string
  readonly verdict: 'ok' | 'warn' | 'fail'
  readonly detail: string
  /** What to do about it. */
  readonly advice?: string
}

const ok = (subject: string, detail: string): Check => ({ subject, verdict: 'ok', detail })
const warn = (subject: string, detail: string, advice: string): Check => ({ subject, verdict: 'warn', detail, advice })
const fail = (subject: string, detail: string, advice: string): Check => ({ subject, verdict: 'fail', detail, advice })

export function checkHome({ home }: CliContext): Check {
  const facts = statSync(home.root, { throwIfNoEntry: false })
  if (facts === undefined) return warn('home', `${home.root} is not there yet`, 'It is made when the daemon starts.')
  if (process.platform !== 'win32' && (facts.mode & 0o077) !== 0)
    return fail('home', `${home.root} is open to other users`, `Run \`chmod 700 ${home.root}\`.`)
  return ok('home', `${home.root} is for you alone`)
}

export async function checkDaemon(
  context: CliContext,
): Promise<{ readonly check: Check; readonly continuity?: Continuity }> {
  try {
    const continuity = await context.continuity()
    await continuity.counts()
    const health = await findHealth(context.home)
    const detail = health === undefined ? 'answers' : `answers, version ${health.version}, store ${health.store}`
    return {
      continuity,
      check:
        health?.status === 'degraded'
          ? warn('daemon', detail, `Its log is ${context.home.daemonLog}.`)
          : ok('daemon', detail),
    }
  } catch (thrown) {
    return {
      check: fail('daemon', messageOf(thrown), `\`holdfast daemon logs\` shows its log, ${context.home.daemonLog}.`),
    }
  }
}

function filesIn(folder: string, isCounted: (name: string) => boolean): number {
  try {
    return readdirSync(folder).filter(isCounted).length
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return 0
    throw thrown
  }
}

export function checkSpool({ home }: CliContext): Check {
  const waiting = filesIn(home.spoolDir, (name) => parseSpoolName(name) !== undefined)
  const dead = filesIn(home.deadSpoolDir, () => true)
  if (dead > 0)
    return warn('spool', `${count(dead, 'event')} could not be read`, `They are kept in ${home.deadSpoolDir}.`)
  if (waiting > 0)
    return warn('spool', `${count(waiting, 'event')} waiting`, 'They are kept and replayed by the daemon.')
  return ok('spool', 'empty')
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

function checkEntries(setup: HarnessSetup, world: SetupWorld, path: string, text: string): Check {
  const subject = `${setup.id} settings`
  const again = `Run \`holdfast init --harness ${setup.id}\` to put it right.`
  const found = setup.find(text, path)
  if (found.size === 0) return fail(subject, `${path} holds no entry of ours`, again)
  const wanted = setup.find(setup.add('', world, setup.findHttp(text, path), path).text, path)
  const missing = [...wanted.keys()].filter((hook) => !found.has(hook))
  if (missing.length > 0) return fail(subject, `${path} lacks ${missing.join(', ')}`, again)
  const altered = [...wanted].filter(([hook, entries]) => JSON.stringify(found.get(hook)) !== JSON.stringify(entries))
  if (altered.length > 0)
    return warn(
      subject,
      `${path} differs from what this version writes for ${altered.map(([hook]) => hook).join(', ')}`,
      again,
    )
  return ok(subject, `${path} holds our ${count(found.size, 'hook')}, unaltered`)
}

function checkHttp(setup: HarnessSetup, context: CliContext, path: string, text: string): readonly Check[] {
  const http = setup.findHttp(text, path)
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

async function checkProbes(
  setup: HarnessSetup,
  context: CliContext,
  path: string,
  text: string,
): Promise<readonly Check[]> {
  const checks: Check[] = []
  for (const probe of setup.probes(text, path)) {
    const { isOk, durationMs, detail } = await runProbe(probe, context.env)
    const subject = `${setup.id} ${probe.way} hook`
    const told = `ran for real in ${durationMs} ms: ${detail}`
    checks.push(
      isOk
        ? ok(subject, told)
        : fail(subject, told, `\`HOLDFAST_DEBUG=1\` makes hooks say more; their log is ${context.home.hookLog}.`),
    )
  }
  return checks
}

/** What was seen of the hooks we expect, newest version first. */
function checkSightings(setup: HarnessSetup, sightings: readonly Sighting[]): readonly Check[] {
  const subject = `${setup.id} events`
  const seen = sightings.filter((sighting) => sighting.harness === setup.id && sighting.hook !== PROBE_HOOK)
  if (seen.length === 0) return [warn(subject, 'none seen yet', `Start a session of ${setup.name}, then look again.`)]
  const versions = [...new Set(seen.map((sighting) => sighting.harnessVersion))]
  const { hooks } = getConnector(setup.id)
  const names = new Set(seen.map((sighting) => sighting.hook))
  const absent = hooks.filter(({ hook, isRoutine }) => isRoutine && !names.has(hook)).map(({ hook }) => hook)
  const told = versions.map((version) => {
    const own = seen.filter((sighting) => sighting.harnessVersion === version)
    return `${version}: ${own.map(({ hook, count: times }) => `${hook} ${times}`).join(', ')}`
  })
  return absent.length === 0
    ? [ok(subject, told.join('; '))]
    : [
        warn(
          subject,
          `${told.join('; ')}; never ${absent.join(', ')}`,
          'Normal until a session has begun and ended with Holdfast.',
        ),
      ]
}

export interface HarnessDoctor {
  readonly setup: HarnessSetup
  readonly world: SetupWorld
  readonly record?: Installation
  readonly continuity?: Continuity
}

export async function checkHarness(
  context: CliContext,
  { setup, world, record, continuity }: HarnessDoctor,
): Promise<readonly Check[]> {
  const path = record?.files.find((file) => file.role === 'settings')?.path ?? setup.settingsPath(world, 'user')
  let text: string | undefined
  try {
    text = readSettingsFile(path).text
    if (text !== undefined) setup.find(text, path)
  } catch (thrown) {
    return [
      fail(`${setup.id} settings`, messageOf(thrown), 'Correct the file; Holdfast does not touch what it cannot read.'),
    ]
  }
  if (text === undefined)
    return [fail(`${setup.id} settings`, `${path} is not there`, `Run \`holdfast init --harness ${setup.id}\`.`)]
  const entries = checkEntries(setup, world, path, text)
  return [
    entries,
    checkFiles(setup, world),
    ...checkHttp(setup, context, path, text),
    ...(await checkProbes(setup, context, path, text)),
    ...(continuity === undefined ? [] : checkSightings(setup, await continuity.sightings(setup.id))),
  ]
}
