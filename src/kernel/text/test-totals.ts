interface TestTotals {
  readonly passed?: number | undefined
  readonly failed?: number | undefined
  readonly pending?: number | undefined
}

/** The totals that a test run printed, as the name of its result; undefined if it printed none. */
export function renderTotals({ passed, failed, pending }: TestTotals): string | undefined {
  const counts = [
    passed === undefined ? '' : `${passed} passed`,
    failed === undefined || failed === 0 ? '' : `${failed} failed`,
    pending === undefined || pending === 0 ? '' : `${pending} pending`,
  ].filter((count) => count !== '')
  return counts.length === 0 ? undefined : counts.join(', ')
}

const TOTALS = /^(?=\d)(?:(\d+) passed)?(?:(?:^|, )(\d+) failed)?(?:(?:^|, )(\d+) pending)?$/

/** The totals in the name of a result; undefined if it has none. */
export function parseTotals(name: string): Readonly<Record<keyof TestTotals, number>> | undefined {
  const found = TOTALS.exec(name)
  if (found === null) return undefined
  const [, passed, failed, pending] = found
  return { passed: Number(passed ?? 0), failed: Number(failed ?? 0), pending: Number(pending ?? 0) }
}
