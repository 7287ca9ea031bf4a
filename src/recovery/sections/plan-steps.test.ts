import { describe, expect, test } from 'vitest'
import type { DialogueMessage, WorkSummary } from '../../kernel/checkpoint.ts'
import { compose } from '../../../test/support/recovery-lines.ts'
import { listPlanSteps } from './plan-steps.ts'

const PLAN = `Implement the following plan: one store

${'The reader and the writer both hold the rows of an order, and they differ. '.repeat(20)}

### Step 1: Move the rows to a store
Both import it.
### Step 2: Read through the store
The reader loses its list.
### Step 3: Write through the store
The writer loses its list.
### Step 4: Drop the old table
`

function nextLine(said: string, work: Partial<WorkSummary> = {}): string | undefined {
  const dialogue: readonly DialogueMessage[] = [
    { speaker: 'user', kind: 'request', text: PLAN, order: 1 },
    { speaker: 'agent', kind: 'message', text: said, order: 4 },
  ]
  return compose({ dialogue, lastOrder: 6, ...work }).find((line) => line.startsWith('| Next'))
}

describe('the steps of a plan that are left', () => {
  test('are those after the step that the agent named last', () => {
    expect(nextLine('Now Step 2: read through the store.')).toBe(
      '| Next: plan, after step 2: 3. Write through the store; 4. Drop the old table',
    )
  })

  test('are those after the furthest one, also when an earlier one is mentioned later', () => {
    expect(nextLine('Now Step 3: write through the store. It uses the rows from Step 1 without a copy.')).toBe(
      '| Next: plan, after step 3: 4. Drop the old table',
    )
  })

  test('are not those of a description whose headings only have numbers', () => {
    const text = `${PLAN.split('###')[0]}\n## 1. Background\nx\n## 2. Requirements\ny\n## 3. Out of scope\nz`
    const dialogue: readonly DialogueMessage[] = [
      { speaker: 'user', kind: 'request', text, order: 1 },
      { speaker: 'agent', kind: 'message', text: 'Step 1: read the reader.', order: 4 },
    ]
    expect(nextLine('', { dialogue })).toBeUndefined()
  })

  test('are not guessed when no step was named, or another kind of number was', () => {
    expect(nextLine('Now I read the rows through the store.')).toBeUndefined()
    expect(nextLine('Task 2 is running.')).toBeUndefined()
  })

  test('are not listed once a todo or an edit shows that a later one was begun', () => {
    expect(
      nextLine('Now Step 2: read through the store.', {
        todos: [{ text: 'Write through the store', status: 'completed' }],
      }),
    ).toBeUndefined()
    const file = { path: 'src/table.ts', action: 'edited', reads: 0, edits: 1, lastOrder: 5, lastEditOrder: 5 } as const
    const plan = PLAN.replace('Drop the old table', 'Drop src/table.ts')
    expect(listPlanSteps(plan).map(({ label }) => label)).toEqual(['1', '2', '3', '4'])
    const dialogue: readonly DialogueMessage[] = [
      { speaker: 'user', kind: 'request', text: plan, order: 1 },
      { speaker: 'agent', kind: 'message', text: 'Now Step 2: read through the store.', order: 4 },
    ]
    expect(nextLine('', { dialogue, files: [file] })).toBeUndefined()
  })

  test.each([
    ['a gap', '### 1. One\n### 2. Two\n### 4. Four'],
    ['too few', '### 1. One\n### 2. Two'],
    ['items of a list', '1. One\n2. Two\n3. Three'],
  ])('%s: headings that do not count up are not steps', (_, text) => {
    expect(listPlanSteps(text)).toEqual([])
  })

  test('may be lettered or bold', () => {
    expect(listPlanSteps('## Change A: x\n## Change B - y\n## Change C. z').map(({ title }) => title)).toEqual([
      'x',
      'y',
      'z',
    ])
    expect(listPlanSteps('**1. `a`**\n**2. b:**\n**3. c**').map(({ title }) => title)).toEqual(['a', 'b', 'c'])
  })
})
