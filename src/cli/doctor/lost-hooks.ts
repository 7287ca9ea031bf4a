import { readdirSync } from 'node:fs'
import { errnoOf } from '../../platform/base/errno.ts'
import type { Home } from '../../platform/base/home.ts'
import { parseToldName, readLostHooks } from '../../platform/lost-hooks.ts'
import type { Check } from './checks.ts'
import { count } from '../shared/output.ts'

type LossHome = Pick<Home, 'quarantineDir' | 'lostHooksFile' | 'root'>

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return []
    throw thrown
  }
}

/** Hook events that a full disk left no room for, whether a session was told already or not; undefined when there were none. */
export function describeLostHooks(home: LossHome): string | undefined {
  const told = namesIn(home.quarantineDir).flatMap((name) => parseToldName(name) ?? [])
  const lost = [...told, readLostHooks(home) ?? []].flat()
  if (lost.length === 0) return undefined
  const parts = lost.map(
    ({ count: events, since, until }) => `${count(events, 'hook event')} from ${since} to ${until}`,
  )
  return `lost because the disk was full: ${parts.join('; ')}`
}

export function checkLostHooks({ home }: { readonly home: LossHome }): Check | undefined {
  const detail = describeLostHooks(home)
  const advice = `Free some disk space. Delete lost-hooks-* in ${home.quarantineDir} once you have read this.`
  return detail === undefined ? undefined : { subject: 'events', verdict: 'warn', detail, advice }
}
