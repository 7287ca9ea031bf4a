import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { aCheckpointOf } from '../../../test/support/checkpoints.ts'
import type { DialogueMessage, WorkSummary } from '../../kernel/checkpoint.ts'
import { PLAN_QUESTION, REFUSED_PLAN } from '../../kernel/event.ts'
import { composeRecovery } from '../compose.ts'
import { mergeCheckpoints } from '../merge/merge-checkpoints.ts'
import { splitMessage } from '../passages/split-message.ts'
import { toUncheckedView } from '../revalidate/revalidate.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

function compose(work: Partial<WorkSummary>, budgetChars = 2_000): readonly string[] {
  const view = toUncheckedView(mergeCheckpoints([aCheckpointOf(work)]))
  return composeRecovery(view, { budgetChars, sha256 }).text.split('\n').slice(3, -1)
}

function user(text: string, order: number, more: Partial<DialogueMessage> = {}): DialogueMessage {
  return { speaker: 'user', kind: 'request', text, order, ...more }
}

function agent(text: string, order: number, kind: DialogueMessage['kind'] = 'message'): DialogueMessage {
  return { speaker: 'agent', kind, text, order }
}

const REQUEST = 'Write the exporter for the accountants, please.'

describe('what is quoted', () => {
  test('names with underscores stay whole, bold words lose their marks', () => {
    const dialogue = [
      user(REQUEST, 1),
      agent('I renamed the hidden commands `__review` and __apply: __both__ stay hidden.', 2),
    ]
    expect(compose({ dialogue, lastOrder: 3 })).toContain(
      "| Agent's last words: I renamed the hidden commands __review and __apply: both stay hidden.",
    )
  })

  test('a refused command keeps its paths', () => {
    const about = 'running `cat /home/alex/.config/git/ignore`'
    const dialogue = [
      user(REQUEST, 1),
      user('not that file', 2, { kind: 'refusal', about }),
      agent('I look elsewhere.', 3),
    ]
    expect(compose({ dialogue, lastOrder: 4 })[0]).toBe(`| User: "${REQUEST}" "not that file" (refusing ${about})`)
  })

  test('the heading of a list whose first items are left out is followed by a mark', () => {
    const filler = 'The rest of this paragraph only repeats what everybody knows about exports in general. '.repeat(16)
    const [first, second] = ['The export has the usual columns of the list', 'Never load all rows: read with a cursor']
    const plan = `# Export\n\n${filler}\n\n## Constraints\n\n- ${first} ${'and of the page '.repeat(20)}\n- ${second}`
    const text = compose({ dialogue: [user(plan, 1), agent('I begin.', 2)], lastOrder: 3 }, 600).join('\n')
    expect(text).toContain(`Constraints: … ${second}`)
  })

  test('a list that does not end is marked', () => {
    const [first, second] = ['use the old reader', `write a new reader ${'that takes its time '.repeat(20)}`]
    const answered = user('1', 3)
    const asked = agent(`I can do two things:\n1. ${first}\n2. ${second}`, 2, 'turn-final')
    expect(compose({ dialogue: [user(REQUEST, 1), asked, answered], lastOrder: 3 }).join('\n')).toContain(
      `"1" to: I can do two things: 1. ${first} …`,
    )
  })

  test('what follows the gap of a shortened message is under no heading, and code that it cut stays code', () => {
    const gap = ' … [900 characters left out] … '
    const before = '## Step 1\n\nAdd this:\n```go\ncall(1)'
    const read = (after: string) =>
      splitMessage(`${before}${gap}${after}`).sentences.map(({ heading, text }) => [heading, text])
    expect(read('call(7)\n```\n\nThe last part must stay.\n\n## Step 9\n\nTest it all.')).toEqual([
      ['', 'The last part must stay.'],
      ['Step 9', 'Test it all.'],
    ])
    expect(read('It must stay.\n```\ncall(8)\n```\nSo must this.')).toEqual([
      ['', 'It must stay.'],
      ['', 'So must this.'],
    ])
  })
})

describe('a plan', () => {
  const plan = '# Export of orders\n\nOrders leave as CSV files.\n\n1. Write the quoting\n2. Read orders with a cursor'

  test('that the user approved after the last request is the work', () => {
    const dialogue = [
      user('Should the export stream, or load everything first?', 1),
      agent(plan, 2, 'plan'),
      user('approved', 3, { kind: 'answer', about: `${PLAN_QUESTION} (approve / stay in plan mode)` }),
      agent('The quoting follows RFC 4180.', 4),
    ]
    const lines = compose({ dialogue, lastOrder: 5 })
    expect(lines[0]).toContain('The task: Orders leave as CSV files.')
    expect(lines).toContain('| User earlier: approved the plan')
    expect(lines).toContain('| User, before approving the plan: "Should the export stream, or load everything first?"')
  })

  test('that the user refused is not the work, and the agent spoke before that refusal', () => {
    const dialogue = [
      user('Should the export stream, or load everything first?', 1),
      agent('A month has 400,000 orders, so it has to stream.', 2),
      agent(plan, 3, 'plan'),
      user('', 4, { kind: 'refusal', about: REFUSED_PLAN }),
    ]
    expect(compose({ dialogue, lastOrder: 4 })).toEqual([
      '| User: "Should the export stream, or load everything first?" refused: the plan',
      '| Agent, before that refusal: A month has 400,000 orders, so it has to stream.',
    ])
  })

  test('that was approved stays the work when another one is refused', () => {
    const dialogue = [
      user('Should the export stream, or load everything first?', 1),
      user('approved', 2, { kind: 'answer', about: PLAN_QUESTION }),
      agent(plan, 2, 'plan'),
      agent('The quoting follows RFC 4180.', 4),
      user('', 5, { kind: 'refusal', about: REFUSED_PLAN }),
    ]
    expect(compose({ dialogue, lastOrder: 5 })[0]).toContain('The task: Orders leave as CSV files.')
  })

  test('is quoted by its open steps, not by those that are done', () => {
    const filler = 'The accountants need all orders of one month, and a month has many of them. '.repeat(20)
    const steps = ['Write the quoting module', 'Stream the orders reader', 'Check the accountant role']
    const details = (name: string) => `${name} as the page says, ${'with all of its details '.repeat(6)}of this part`
    const parts = steps.map((name, index) => `## ${index + 1}. Part\n\n- ${details(name)}\n`)
    const todos = steps.map((text, index) => ({
      text,
      status: index === 0 ? ('completed' as const) : ('pending' as const),
    }))
    const dialogue = [user(`# Export\n\n${filler}\n\n${parts.join('\n')}`, 1), agent('I go on.', 2)]
    const commits = ['add the quoting module', 'stream the orders'].map((subject) => ({ subject, order: 2 }))
    const quotes = (work: Partial<WorkSummary>) => {
      const text = compose({ dialogue, lastOrder: 3, ...work }, 780).join('\n')
      return steps.filter((name) => text.includes(`${name} as the page`))
    }
    expect([quotes({ todos }), quotes({ commits })]).toEqual([[steps[1]], [steps[2]]])
  })
})

describe('what the agent said last', () => {
  test.each([
    ['a heading', '**Item 3: extract the duplicated helper**', 'Item 3: extract the duplicated helper'],
    ['an introduction', 'Item 2 is done.\n\nNow the page — parts 1 and 4:', 'Now the page — parts 1 and 4'],
  ])('%s before a tool call is what it was doing', (_, text, announced) => {
    const dialogue = [user(REQUEST, 1), agent(text, 2)]
    expect(compose({ dialogue, lastOrder: 4 }).join('\n')).toContain(`Doing last: "${announced}"`)
  })
})

describe('requests that are over', () => {
  const before = user('Find out why the export of January is empty.', 1)
  const now = [user('Now write the export of February with a cursor.', 8), agent('I write it.', 9)]

  test.each([
    ['Can you review the docs of the exporter against the code?', false],
    ['Can you review the docs, every page should name its author?', true],
    ["Write the notes to a file, don't commit.", true],
  ])('%s', (text, stays) => {
    const dialogue = [
      before,
      user(text, 4),
      agent('The docs are reviewed, nothing is wrong in them.', 5, 'turn-final'),
      ...now,
    ]
    expect(compose({ dialogue, lastOrder: 10 }).join('\n').includes(text)).toBe(stays)
  })

  test('"don\'t commit" ends with the commit that the user asks for', () => {
    const rule = "Write the notes to a file, don't commit."
    const dialogue = [before, user(rule, 4), user('commit the notes now', 6), ...now]
    expect(compose({ dialogue, lastOrder: 10 }).join('\n')).not.toContain(rule)
  })

  test.each([
    ["Don't push to main.", 'push the feature branch please'],
    ['Do not commit the .env file.', 'look at the last commit, the login is broken'],
  ])('%s stays after: %s', (rule, later) => {
    const dialogue = [before, user(rule, 4), user(later, 6), ...now]
    expect(compose({ dialogue, lastOrder: 10 }).join('\n')).toContain(rule)
  })
})
