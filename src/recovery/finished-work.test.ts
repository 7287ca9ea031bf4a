import { expect, test } from 'vitest'
import { aCheckpointOf } from '../../test/support/checkpoints.ts'
import { isFinishedWork } from './describe-choice.ts'
import { mergeCheckpoints } from './merge/merge-checkpoints.ts'

const GIT = { dirty: { staged: 0, unstaged: 0, untracked: 0, paths: [] } }

function isFinished(more: Parameters<typeof aCheckpointOf>[0]): boolean {
  const work = {
    dialogue: [{ speaker: 'agent', kind: 'turn-final', text: 'Committed and pushed the lease change.', order: 6 }],
    commits: [{ subject: 'Lease', order: 5 }],
    checks: [],
    lastEditOrder: 3,
    lastOrder: 6,
    ...more,
  } as const
  return isFinishedWork(mergeCheckpoints([aCheckpointOf(work, { waitOrContinue: 'wait' })]), GIT)
}

test('work is not finished while its push was refused, or what was said of it was refuted', () => {
  const push = (ok: boolean) =>
    ({ command: 'git push origin lease', purpose: 'vcs', ok, runs: 1, failures: ok ? 0 : 1, lastOrder: 6 }) as const
  const claim = { text: 'All tests pass.', evidence: 'claimed', lastOrder: 6 } as const
  expect([
    isFinished({}),
    isFinished({ commands: [push(true)], claims: [claim] }),
    isFinished({ commands: [push(false)] }),
    isFinished({ claims: [{ ...claim, contradictedBy: 'the last run of `npm test` failed' }] }),
  ]).toEqual([true, true, false, false])
})
