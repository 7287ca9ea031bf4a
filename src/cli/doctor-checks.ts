import { readdirSync, statSync } from 'node:fs'
import { parseSpoolName } from '../client/spool-name.ts'
import type { Continuity } from '../core/continuity.ts'
import { messageOf } from '../core/errors.ts'
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

export const ok = (subject: string, detail: string): Check => ({ subject, verdict: 'ok', detail })
export const warn = (subject: string, detail: string, advice: string): Check => ({
  subject,
  verdict: 'warn',
  detail,
  advice,
})
export const fail = (subject: string, detail: string, advice: string): Check => ({
  subject,
  verdict: 'fail',
  detail,
  advice,
})

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
