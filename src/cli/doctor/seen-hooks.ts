import type { Continuity } from '../../app/continuity.ts'
import type { Sighting } from '../../kernel/ports.ts'
import { getConnector } from '../../harness/registry.ts'
import { type HarnessSetup, PROBE_HOOK } from '../../install/setup.ts'
import { type Check, ok, warn } from './checks.ts'

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
