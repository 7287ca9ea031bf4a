import { expect, test } from 'vitest'
import { appendAutosaveLog, judgeAutosave } from './autosave-rules.ts'

const now = '2026-01-31T09:05:00.000Z'
const sessionState = '# State\nCurrent task: parser'

test.each([
  [{ now }, 'SESSION-STATE.md is missing'],
  [{ now, sessionState: ' \n' }, 'SESSION-STATE.md is empty'],
  [{ now, sessionState: '**Status:** COMPLETE\nparser' }, 'the task is complete'],
  [{ now, sessionState: 'Status: done' }, 'the task is complete'],
  [{ now, sessionState: '# State\n\nAll finished, nothing left to do.' }, 'the task is complete'],
  [{ now, sessionState: '# State\n\nEverything is done and merged.' }, 'the task is complete'],
  [{ now, sessionState, lastAt: '2026-01-31T09:00:01.000Z' }, 'the last one is less than 5 minutes old'],
])('%j is not due: %s', (input, because) => {
  expect(judgeAutosave({ minIntervalMs: 300_000, canUseObserved: false, ...input })).toEqual({
    isDue: false,
    because,
  })
})

test.each([
  [{ now, sessionState }],
  [{ now, sessionState, lastAt: '2026-01-31T09:00:00.000Z' }],
  [{ now, sessionState, lastAt: '2027-01-01T00:00:00.000Z' }],
  [{ now, sessionState: 'Status: incomplete' }],
])('%j is due', (input) => {
  expect(judgeAutosave({ minIntervalMs: 300_000, canUseObserved: false, ...input })).toEqual({ isDue: true })
})

test('the log gets one line with its reason and drops the oldest', () => {
  const once = appendAutosaveLog('', now, 'context\n78%')
  expect(once).toBe(`# Autosave log\n\n- [${now}] autosave written (context 78%)\n`)
  let log = once
  for (let n = 0; n < 250; n += 1) log = appendAutosaveLog(log, now)
  expect(log.split('\n').filter((line) => line.startsWith('- ['))).toHaveLength(200)
})
