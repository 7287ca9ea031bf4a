import type { ResolvedProject } from '../../kernel/agent-records.ts'
import type { Sighting } from '../../kernel/ports/ports.ts'
import { ageOf } from '../../kernel/text/age.ts'
import type { ExpectedHook } from '../ports.ts'

const LATELY_MS = 3 * 86_400_000

/**
 * Routine hooks that a harness in use has not called for days while it called others: then something is broken or was
 * uninstalled, and what we say about its sessions is incomplete.
 */
function missingHooks(
  expected: readonly ExpectedHook[],
  sightings: readonly Sighting[],
): readonly { readonly harness: string; readonly hook: string; readonly lastSeenAt?: string }[] {
  return expected.flatMap(({ harness, hook, isRoutine }) => {
    const ofHarness = sightings.filter((sighting) => sighting.harness === harness)
    const newest = ofHarness
      .map((sighting) => sighting.lastSeenAt)
      .toSorted()
      .at(-1)
    if (!isRoutine || newest === undefined) return []
    const lastSeenAt = ofHarness
      .filter((sighting) => sighting.hook === hook)
      .map((sighting) => sighting.lastSeenAt)
      .toSorted()
      .at(-1)
    if (lastSeenAt === undefined) return [{ harness, hook }]
    return Date.parse(newest) - Date.parse(lastSeenAt) > LATELY_MS ? [{ harness, hook, lastSeenAt }] : []
  })
}

export function hookNotices(
  expected: readonly ExpectedHook[],
  sightings: readonly Sighting[],
  now: string,
): readonly string[] {
  const missing = missingHooks(expected, sightings)
  if (missing.length === 0) return []
  const said = missing.map(
    ({ harness, hook, lastSeenAt }) =>
      `${harness} ${hook} (${lastSeenAt === undefined ? 'never seen' : `last ${ageOf(lastSeenAt, now)}`})`,
  )
  return [
    `Expected hooks not seen lately: ${said.join(', ')}. Run \`holdfast doctor\`; until then some work may be missing below.`,
  ]
}

/** One word that could pass for nothing but a name or a path; anything else is only shown inside a fence. */
export function isPlainWord(text: string): boolean {
  return /^[\w.@+:/\\-]{1,200}$/.test(text)
}

export function projectNotices(project: ResolvedProject): readonly string[] {
  return [
    ...(project.isOnDisk ? [] : ['The project root is NOT FOUND on disk: nothing below could be re-checked.']),
    ...(project.isRegistered
      ? []
      : [
          'This directory is not registered, so this is what git, files and sessions tell; call register_project once to give it a name.',
        ]),
  ]
}
