import { describe, expect, test } from 'vitest'
import { agent, compose, find, user } from '../../../test/support/recovery-lines.ts'

describe('who said what, and when', () => {
  test('what the user pasted from the agent, to ask about it, is not said by the user', () => {
    const claim = 'There is no wrong assignment, it is correct attribution within the session.'
    const dialogue = [
      user('Write down how commits are attributed to sessions.', 1),
      agent(claim, 2, 'turn-final'),
      user(`Can you clarify this: there is still one open question for me.\n\n${claim}`, 3),
    ]
    const lines = compose({ dialogue, lastOrder: 3 })
    expect(lines.filter((line) => line.startsWith('| User')).join('\n')).not.toContain('correct attribution')
    expect(lines.join('\n')).toContain(`Agent, before that request: ${claim}`)
  })

  test('an offer of the agent that the user makes an order of stays the order', () => {
    const order = 'Replace the linked list of the cache by a ring buffer with a fixed size.'
    const dialogue = [
      user('How could the cache be made faster?', 1),
      agent(`There are two ways.\n- ${order}\n- Keep it and add an index.`, 2, 'turn-final'),
      user(order, 3),
    ]
    expect(find(compose({ dialogue, lastOrder: 3 }), 'User, not answered yet')).toContain(order)
  })

  test('of a request whose turn ended no sentence stands with the one under way', () => {
    const first =
      'Teach the exporter to write CSV files. Every cell that contains a comma or a quote must be quoted. Newlines are CRLF. Names of columns come first.'
    const dialogue = [user(first, 1), agent('It writes CSV now.', 2, 'turn-final'), user('commit and push it', 3)]
    const lines = compose({ dialogue, lastOrder: 3 })
    expect(lines).toContain('| User: "commit and push it"')
  })

  test('what a subagent answered is its own word, never the last words of the agent', () => {
    const dialogue = [
      user('Review the scenarios and fix what the reviewer finds.', 1),
      agent(
        'Scenario 7 is unrealistic because the staging is simulated; the problem is the missing index.',
        2,
        'report',
      ),
      agent('Let me fix the issues.', 3),
    ]
    const lines = compose({ dialogue, lastOrder: 4 })
    expect(find(lines, 'Subagents reported')).toContain('Scenario 7 is unrealistic')
    expect(find(lines, "Agent's last words")).not.toContain('Scenario 7')
  })

  test('what the agent said before its last edit says so', () => {
    const dialogue = [
      user('The tokens of the parser are lost, find out why.', 1),
      agent('The reader drops the last token because its buffer is closed too early in flush().', 2),
      agent('Let me look at the writer.', 6),
    ]
    const files = [
      { path: 'src/reader.ts', action: 'edited', reads: 0, edits: 1, lastEditOrder: 4, lastOrder: 4 },
    ] as const
    const lines = compose({ dialogue, files, lastEditOrder: 4, lastOrder: 7 })
    expect(lines.join('\n')).toContain(
      "Agent's last words, before the last edit: The reader drops the last token because its buffer is closed too early in flush().",
    )
  })

  test('a short request keeps the line that introduces its code, and the code', () => {
    const text =
      'can we fix: 2. Casing of errors. Go wants lower case:\n  // Suggested: return fmt.Errorf("checking: %w", err)'
    expect(find(compose({ dialogue: [user(text, 1)], lastOrder: 1 }), 'User')).toContain(
      'Go wants lower case: // Suggested: return fmt.Errorf("checking: %w", err)',
    )
  })
})

test('a failed check names the places that it complains of, and what ran before the last edit says so once', () => {
  const checks = [
    { command: 'npm run build', purpose: 'build', verdict: 'passed', order: 1 },
    { command: 'npm test', purpose: 'test', verdict: 'passed', order: 2 },
    {
      command: 'npm run lint',
      purpose: 'lint',
      verdict: 'failed',
      line: '3 issues:',
      findings: [
        { place: 'a.ts:3', text: 'x is never used' },
        { place: 'b.ts:9', text: 'unexpected any' },
      ],
      order: 5,
    },
  ] as const
  expect(find(compose({ checks, lastEditOrder: 4, lastOrder: 6 }), 'Checks')).toBe(
    '| Checks: `npm run lint` failed: 3 issues (a.ts:3 x is never used; b.ts:9 unexpected any); before the last edit: `npm test` passed, `npm run build` passed',
  )
})
