import { expect, test } from 'vitest'
import { judgeAutosave } from './autosave-rules.ts'
import { composeNamed } from './compose.ts'

const base = { name: 'parser', createdAt: '2026-03-02T09:00:00Z', branch: 'main' }

test('what a caller writes in any script is no "none": SESSION-STATE.md is added to it', () => {
  const sessionState = '# Task\nSplit the parser\n\n## Blockers\n- parser.ts fails on tabs\n'
  const compose = (blockers: string) =>
    JSON.stringify(composeNamed({ ...base, sessionState, workingBuffer: undefined, given: { blockers } }))
  expect(compose('等待审查')).toContain('parser.ts fails on tabs')
  expect(compose('等待审查')).toContain('等待审查')
  expect(compose('none.')).not.toContain('parser.ts fails on tabs')
})

test('a SESSION-STATE.md that says everything in its headings is not empty', () => {
  const judge = (sessionState: string) =>
    judgeAutosave({ sessionState, now: '2026-03-02T09:00:00Z', minIntervalMs: 60_000, canUseObserved: false })
  expect(judge('# Migrate the store to v2\n\n## Next: run migrate.sh on staging\n').isDue).toBe(true)
  expect(judge('# Session State\n\n## Progress\n\nnone\n\n## Blockers\n').isDue).toBe(false)
})
