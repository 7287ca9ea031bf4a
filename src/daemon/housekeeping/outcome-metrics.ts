import { type Receipt, unchangedRereads } from '../../kernel/start-outcome.ts'

/** Sums over the receipts that are kept, of starts that were told something and of those that were not. */
const FIGURES: Readonly<Record<string, (receipt: Receipt) => number>> = {
  holdfast_starts: () => 1,
  holdfast_start_tool_calls: ({ calls }) => calls,
  holdfast_files_reread: ({ rework }) => (rework === undefined ? 0 : unchangedRereads(rework)),
  holdfast_commands_repeated: ({ rework }) => rework?.commandsRepeated.length ?? 0,
  holdfast_decisions_reopened: ({ rework }) => rework?.decisionsReopened.length ?? 0,
  holdfast_novel_context_count: ({ rework }) => rework?.novel_context_count ?? 0,
}

/** In Prometheus's text format. Gauges: receipts go with the days of the events. */
export function receiptMetrics(receipts: readonly Receipt[]): string {
  return Object.entries(FIGURES)
    .flatMap(([name, of]) => [
      `# TYPE ${name} gauge`,
      ...[true, false].map((isTold) => {
        const sum = receipts.filter(({ isWarm }) => isWarm === isTold).reduce((total, one) => total + of(one), 0)
        return `${name}{told="${isTold}"} ${sum}`
      }),
    ])
    .map((line) => `${line}\n`)
    .join('')
}
