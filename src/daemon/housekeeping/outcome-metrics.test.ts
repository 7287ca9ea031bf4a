import { expect, test } from 'vitest'
import { aReceipt } from '../../../test/contracts/store-contract-start-outcomes.ts'
import { renderOutcomeMetrics } from './metrics.ts'

test('starts and rework are summed, separately for starts with and without a recovery', () => {
  const text = renderOutcomeMetrics([
    aReceipt('a'),
    aReceipt('b'),
    aReceipt('c', { isWarm: false, rework: undefined, calls: 2 }),
  ])
  expect(text).toBe(`# TYPE holdfast_starts gauge
holdfast_starts{told="true"} 2
holdfast_starts{told="false"} 1
# TYPE holdfast_start_tool_calls gauge
holdfast_start_tool_calls{told="true"} 14
holdfast_start_tool_calls{told="false"} 2
# TYPE holdfast_files_reread gauge
holdfast_files_reread{told="true"} 2
holdfast_files_reread{told="false"} 0
# TYPE holdfast_commands_repeated gauge
holdfast_commands_repeated{told="true"} 2
holdfast_commands_repeated{told="false"} 0
# TYPE holdfast_decisions_reopened gauge
holdfast_decisions_reopened{told="true"} 0
holdfast_decisions_reopened{told="false"} 0
# TYPE holdfast_novel_context_count gauge
holdfast_novel_context_count{told="true"} 2
holdfast_novel_context_count{told="false"} 0
`)
})
