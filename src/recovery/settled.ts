import type { WorkSummary } from '../kernel/checkpoint.ts'

/** What an earlier session left red is no news any more once a later one saw the same command go well. */
export function settledBy(newer: WorkSummary, older: WorkSummary): WorkSummary {
  const wentWell = newer.commands.filter(({ ok }) => ok).map(({ command }) => command)
  if (wentWell.length === 0) return older
  const green = new Set(wentWell)
  const isAboutGreen = (text: string) => wentWell.some((command) => text.startsWith(`\`${command}\` failed `))
  return {
    ...older,
    errors: older.errors.map((error) =>
      error.resolution === undefined && error.command !== undefined && green.has(error.command)
        ? { ...error, resolution: 'went away in a later session' }
        : error,
    ),
    tests: older.tests.filter(({ command }) => !green.has(command)),
    failedApproaches: older.failedApproaches.filter((text) => !isAboutGreen(text)),
    claims: (older.claims ?? []).filter(({ contradictedBy = '' }) => !isAboutGreen(contradictedBy)),
  }
}
