import { expect, test } from 'vitest'
import { composeNamed } from './compose.ts'
import { draftFromWorkingBuffer } from './compose.ts'

const base = { name: 'x', createdAt: '2026-01-31T09:05:00.000Z' }
const sessionState =
  '# Session State\n## Current Task\n**Build** the login page\n## Recent Decisions\n- OAuth first\n## Open Threads\n- rate limits\n## Key Files\n- src/auth.ts\n'
const workingBuffer =
  '# Working Buffer (Danger Zone Log)\n**Status:** ACTIVE\n---\n## [09:00] Human\nuse Redis\n## [09:01] Agent (summary)\nWired Redis into src/cache.ts\n'

test('text of the caller precedes SESSION-STATE.md, which precedes the working buffer', () => {
  expect(composeNamed({ ...base, sessionState, workingBuffer, given: { blockers: 'none' } })).toEqual({
    ...base,
    task: 'Build the login page',
    sections: {
      progress: '- Wired Redis into src/cache.ts',
      nextAction: '',
      blockers: 'none',
      decisions: '- OAuth first',
      context: '- src/auth.ts',
    },
  })
})

test('a session state without headings is context', () => {
  expect(composeNamed({ ...base, sessionState: 'we are halfway' }).sections.context).toBe('we are halfway')
})

test('without any source there is still a checkpoint', () => {
  expect(composeNamed(base)).toEqual({
    ...base,
    task: '',
    sections: { progress: '', nextAction: '', blockers: '', decisions: '', context: '' },
  })
})

test("the buffer's last human words are context", () => {
  expect(draftFromWorkingBuffer(workingBuffer).sections.context).toBe('- The user last said: use Redis')
})
