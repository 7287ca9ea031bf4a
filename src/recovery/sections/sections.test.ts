import { describe, expect, test } from 'vitest'
import { agent, compose, find, user } from '../../../test/support/recovery-lines.ts'
import type { CheckRun } from '../../kernel/checkpoint.ts'
import type { WorkSummary } from '../../kernel/checkpoint.ts'

const check = (command: string, verdict: CheckRun['verdict'], order: number, line?: string): CheckRun => ({
  command,
  purpose: 'test',
  verdict,
  order,
  ...(line === undefined ? {} : { line }),
})

describe('the request', () => {
  test('is verbatim and whole; the work that it is a step of is named', () => {
    const dialogue = [
      user('Split the parser in /srv/app/src/parser.ts into a lexer and a grammar.', 1),
      agent('The lexer is in place and its tests pass.', 2, 'turn-final'),
      user('Now move the line numbers into the tokens.', 3),
      agent('I move the line numbers into the token type.', 4),
    ]
    expect(compose({ dialogue, lastOrder: 5 })).toEqual([
      '| User earlier: "Split the parser in /srv/app/src/parser.ts into a lexer and a grammar."',
      '| User: "Now move the line numbers into the tokens."',
      "| Agent's last words: I move the line numbers into the token type.",
      '| Agent earlier: The lexer is in place and its tests pass.',
    ])
  })

  test('is marked while nothing was said or done since', () => {
    const dialogue = [user('Why does the lexer drop the last token?', 7)]
    expect(compose({ dialogue, lastOrder: 7 })).toEqual([
      '| User, not answered yet: "Why does the lexer drop the last token?"',
    ])
  })

  test('is answered once the agent has spoken, in the same step or not', () => {
    const dialogue = [
      user('Why does the lexer drop the last token?', 7),
      agent('The loop ends one token too early.', 7),
    ]
    expect(compose({ dialogue, lastOrder: 7 })[0]).toBe(
      '| User\'s last request, turn finished: "Why does the lexer drop the last token?"',
    )
  })

  test('an answer stands with its question, a refusal with what it refused', () => {
    const dialogue = [
      user('Choose a storage for the sessions, please.', 1),
      user('SQLite', 2, { kind: 'answer', about: 'Which storage? (SQLite / Postgres)' }),
      user('', 3, { kind: 'refusal', about: 'running `npm publish`' }),
      agent('I write the SQLite store.', 4),
    ]
    expect(compose({ dialogue, lastOrder: 5 })[0]).toBe(
      '| User: "Choose a storage for the sessions, please." "SQLite" (asked: Which storage?) refused: running `npm publish`',
    )
  })

  test('is the work, with the chore after it, and without our own commands', () => {
    const dialogue = [
      user('Teach the exporter to write CSV files.', 1),
      agent('The exporter writes CSV files now.', 2, 'turn-final'),
      user('commit and push it', 3),
      user('/remember CSV', 4),
    ]
    expect(compose({ dialogue, lastOrder: 5 }).slice(0, 2)).toEqual([
      '| User earlier: "Teach the exporter to write CSV files."',
      '| User: "commit and push it"',
    ])
  })

  test('a short answer stands with the option that it chose', () => {
    const dialogue = [
      user('Choose a storage for the sessions, please.', 1),
      agent('Which one? 1. SQLite in one file\n2. Postgres on the server', 2, 'turn-final'),
      user('2', 3),
    ]
    expect(compose({ dialogue, lastOrder: 4 }).find((line) => line.startsWith('| User answered'))).toContain('"2" to: ')
  })
})

test('what a slash command stands for is named', () => {
  const about =
    'Base directory for this skill: /srv/skills/review\n\n# Review a branch\n\nCompare the branch with main.'
  expect(
    compose({ dialogue: [user('/review-branch now', 1, { about }), agent('I read the diff.', 2)], lastOrder: 3 }),
  ).toEqual([
    '| The task: /review-branch: Review a branch: Compare the branch with main',
    '| User: "/review-branch now"',
    "| Agent's last words: I read the diff.",
  ])
})

test('what the agent said is left is the next step, not part of its last words', () => {
  const dialogue = [
    user('Migrate the accounts table to the new schema.', 1),
    agent('The table is migrated.\n\n## Remaining\n- drop the old index\n- update the docs', 2, 'turn-final'),
  ]
  expect(compose({ dialogue, lastOrder: 2 }).slice(1)).toEqual([
    "| Agent's last words: The table is migrated.",
    '| Next: Remaining: drop the old index; update the docs',
  ])
})

describe('where it stood', () => {
  test('ends with the question and its options, whole', () => {
    const long = Array.from(
      { length: 30 },
      (_, index) => `Step ${index} of the migration went through without trouble.`,
    )
    const dialogue = [
      user('Migrate the accounts table to the new schema.', 1),
      agent(`${long.join('\n\n')}\n\nShould I\n1. drop the old table\n2. keep it for a week`, 2, 'turn-final'),
    ]
    const line = compose({ dialogue, lastOrder: 2 }).find((one) => one.startsWith("| Agent's last words")) ?? ''
    expect(line).toContain('2. keep it for a week')
  })

  test('names what the tools did since, and the reason of a failure', () => {
    const dialogue = [user('Fix the failing import of the config.', 1), agent('I change the import path first.', 2)]
    const steps = [
      { kind: 'edit' as const, what: 'src/config.ts', ok: true, order: 3 },
      { kind: 'shell' as const, what: 'node src/config.ts', ok: false, error: 'Error: no such module', order: 4 },
    ]
    expect(compose({ dialogue, steps, lastOrder: 4 })).toContain(
      '| Doing last: edited src/config.ts, ran `node src/config.ts` (failed: Error: no such module)',
    )
  })
})

describe('checks', () => {
  test('a failure that nothing overtook comes first; a run before the last edit says so', () => {
    const checks = [
      check('npm test', 'failed', 3, '2 failed, 5 passed'),
      check('npm run unit', 'passed', 8, '12 passed'),
    ]
    expect(compose({ checks, lastEditOrder: 5, lastOrder: 9 })).toEqual([
      '| Checks: `npm test` failed: 2 failed, 5 passed (before the last edit); `npm run unit` passed: 12 passed',
    ])
  })

  test('all of them older than the last edit: said once', () => {
    const checks = [check('npm test', 'passed', 3, '12 passed')]
    expect(compose({ checks, lastEditOrder: 5, lastOrder: 9 })).toEqual([
      '| Checks, not run since the last edit: `npm test` passed: 12 passed',
    ])
  })

  test('a pipe or a chain that hides the status is named', () => {
    expect(compose({ checks: [check('npm test | tail', 'unknown', 3)], lastOrder: 3 })).toEqual([
      '| Checks: `npm test | tail` ran, status hidden by a pipe or chain',
    ])
  })

  test('a failure that a later run overtook is left out, and so is a second one of its kind before the last edit', () => {
    const checks = [
      { ...check('go build ./...', 'failed', 2, 'undefined: defaultAgent'), purpose: 'build' as const },
      check('go test ./a', 'failed', 3, 'FAIL ./a [setup failed]'),
      check('go test ./b', 'failed', 4, '--- FAIL: TestB'),
      { ...check('golangci-lint run', 'passed', 5, '0 issues.'), purpose: 'lint' as const },
    ]
    expect(compose({ checks, lastEditOrder: 4.5, lastOrder: 9 })).toEqual([
      '| Checks: `go test ./b` failed: --- FAIL: TestB (before the last edit); `golangci-lint run` passed: 0 issues',
    ])
  })
})

describe('files, todos, commits', () => {
  test('a file that was last edited before the last commit is not listed as changed', () => {
    const commits = [{ subject: 'Add the lexer', hash: 'abc1234', order: 3 }]
    const file = (path: string, lastEditOrder: number) => ({
      path,
      action: 'edited' as const,
      reads: 0,
      edits: 1,
      lastOrder: lastEditOrder,
      lastEditOrder,
    })
    expect(compose({ commits, files: [file('src/a.ts', 2), file('src/b.ts', 4)], lastOrder: 4 })[1]).toBe(
      '| Files, no check seen: changed src/b.ts; changed before the last commit src/a.ts',
    )
  })

  test('without a commit nothing was changed before the last one, not even by an earlier session', () => {
    const files = [
      { path: 'src/a.ts', action: 'edited' as const, reads: 0, edits: 1, lastOrder: -4, lastEditOrder: -4 },
    ]
    expect(compose({ files, lastOrder: 4 })).toContain(
      '| Files, not committed by the agent, no check seen: changed src/a.ts',
    )
  })

  test('a new file that is in a commit of the session is changed, not created', () => {
    const files = [{ path: 'src/a.ts', action: 'created' as const, reads: 0, edits: 2, lastOrder: 5, lastEditOrder: 5 }]
    const label = (work: Partial<WorkSummary>) =>
      compose({ files, lastOrder: 5, ...work }).find((line) => line.startsWith('| Files'))
    expect(label({ commits: [{ subject: 'Add the lexer', order: 3 }] })).toBe(
      '| Files, no check seen: changed src/a.ts',
    )
    expect(label({})).toBe('| Files, not committed by the agent, no check seen: created src/a.ts')
  })

  test('a deleted file is not changed, a read one is not edited', () => {
    const file = (path: string, action: 'edited' | 'deleted' | 'read', edits: number) => ({
      path,
      action,
      reads: 1,
      edits,
      lastOrder: 3,
      ...(edits === 0 ? {} : { lastEditOrder: 3 }),
    })
    const files = [file('src/a.ts', 'edited', 1), file('src/b.ts', 'deleted', 1), file('src/c.ts', 'read', 0)]
    expect(compose({ files, lastOrder: 3 })).toEqual([
      '| Files, not committed by the agent, no check seen: changed src/a.ts; deleted src/b.ts; read src/c.ts',
    ])
  })

  test('todos are counted, the open ones in their order', () => {
    const todos = [
      { text: 'Write the lexer', status: 'completed' as const },
      { text: 'Write the printer', status: 'pending' as const },
      { text: 'Write the grammar', status: 'in_progress' as const },
    ]
    expect(compose({ todos, lastOrder: 3 })).toEqual([
      '| Done: 1 of 3 todos marked done, among them: Write the lexer',
      '| Next: (in progress) Write the grammar; Write the printer',
    ])
  })

  test('todos of an earlier request are counted only', () => {
    const todos = [
      { text: 'Write the lexer', status: 'completed' as const },
      { text: 'Write the printer', status: 'pending' as const },
    ]
    const dialogue = [user('Write a parser.', 1), user('Rename the package to grammar in every file.', 5)]
    expect(compose({ todos, todosOrder: 3, dialogue, lastOrder: 30 }).slice(-1)).toEqual([
      '| Done: 1 of 2 todos of an earlier request marked done',
    ])
  })

  test('the last commit, and what was edited since', () => {
    const commits = [{ subject: 'Add the lexer', hash: 'abc1234', order: 2, isPushed: true }]
    const files = [{ path: 'src/a.ts', action: 'edited' as const, reads: 0, edits: 1, lastOrder: 4, lastEditOrder: 4 }]
    expect(compose({ commits, files, lastOrder: 4 })[0]).toBe(
      '| Done: commit abc1234 "Add the lexer" (pushed); 1 edited since, not committed',
    )
    const more = [...commits, { subject: 'Test the lexer', hash: 'def5678', order: 5 }]
    expect(compose({ commits: more, files, lastOrder: 5 })[0]).toBe(
      '| Done: commit abc1234 "Add the lexer" (pushed); commit def5678 "Test the lexer"',
    )
  })
})

test('rules of the user are verbatim, stored ones and those of the dialogue', () => {
  const dialogue = [
    user('Add an export command to the tool.', 1),
    agent('I add the command now.', 2, 'turn-final'),
    user("Don't touch the public API.", 3),
    agent('Understood.', 4),
  ]
  const rules = [{ text: 'Never run the e2e tests.', since: '2026-01-01T00:00:00.000Z' }]
  const line = compose({ dialogue, lastOrder: 5 }, { rules }).find((one) => one.startsWith('| Rules')) ?? ''
  expect(line).toContain('"Never run the e2e tests."')
})

test('an order for one piece of work is quoted with the requests, not as a rule', () => {
  const lines = (second: string) =>
    compose({
      dialogue: [
        user('Teach the exporter to write CSV files.', 1),
        agent('The exporter writes CSV files now.', 2, 'turn-final'),
        user(second, 3),
        agent('The plan is in the file.', 4, 'turn-final'),
        user('Now list the callers of the exporter.', 5),
        agent('Three files call the exporter.', 6),
      ],
      lastOrder: 7,
    })
  const once = "Write the plan to a temporary file, don't commit."
  expect(lines(once)).toContain(`| - "${once}"`)
  expect(lines(once).find((line) => line.startsWith('| Rules'))).toBeUndefined()
  expect(lines('Never commit without asking me first.')).toContain('| Rules: "Never commit without asking me first."')
})

describe('what reads wrong', () => {
  const edited = { path: 'src/a.ts', action: 'edited' as const, reads: 0, edits: 1, lastOrder: 3, lastEditOrder: 3 }
  const command = (text: string, ok: boolean, lastOrder: number) => ({
    command: text,
    purpose: 'other' as const,
    ok,
    runs: 1,
    failures: Number(!ok),
    lastOrder,
  })
  const error = { text: 'socket hang up', signature: 'socket', count: 1, command: 'deploy --to test', lastOrder: 4 }

  test('an earlier request is quoted as earlier, never as the work under way', () => {
    const dialogue = [
      user('Delete the branches that nobody has used since May.', 1),
      agent('Deleted four branches.', 2, 'turn-final'),
      user('Explain how the retry of the uploader works.', 3),
      agent('The uploader retries three times.', 4),
    ]
    const lines = compose({ dialogue, lastOrder: 5 })
    expect(lines.slice(0, 2)).toEqual([
      '| User earlier: "Delete the branches that nobody has used since May."',
      '| User: "Explain how the retry of the uploader works."',
    ])
    expect(find(lines, 'The task')).toBe('')
  })

  test('a failure is dropped once the same program succeeded with other arguments', () => {
    const failed = command('deploy --to test', false, 4)
    const compact = { errors: [error], lastOrder: 9 }
    expect(find(compose({ ...compact, commands: [failed] }), 'Did not work')).toContain('socket hang up')
    const passed = command('deploy --to test --retry 3', true, 6)
    expect(find(compose({ ...compact, commands: [failed, passed] }), 'Did not work')).toBe('')
  })

  test('of the commands only those of the project are listed', () => {
    const commands = ['curl -s localhost', 'pgrep node', 'node -v', 'mise run fmt'].map((text) =>
      command(text, true, 3),
    )
    expect(compose({ commands, lastOrder: 4 })).toEqual(['| Also run: `mise run fmt`'])
  })

  test('what a person committed outside is not called uncommitted', () => {
    const status = (changed: readonly string[], order: number) => ({ gitStatus: { changed, untracked: [], order } })
    const label = (work: Partial<WorkSummary>) =>
      find(compose({ files: [edited], lastEditOrder: 3, lastOrder: 6, ...work }), 'Files')
    expect(label({})).toBe('| Files, not committed by the agent, no check seen: changed src/a.ts')
    expect(label(status(['src/a.ts'], 5))).toBe('| Files, not committed by the agent, no check seen: changed src/a.ts')
    expect(label(status([], 5))).toBe('| Files, no check seen: changed src/a.ts')
    expect(label(status([], 2))).toBe('| Files, not committed by the agent, no check seen: changed src/a.ts')
  })

  test('an announcement is what the agent was doing, not its last words, and is dropped when old', () => {
    const dialogue = [
      user('Find out why the exporter drops the last row.', 1),
      agent('Let me look at the writer first.', 2),
      agent('The writer flushes before the last row is appended. Now let me move the flush behind the loop.', 3),
    ]
    const steps = [{ kind: 'edit' as const, what: 'src/writer.ts', ok: true, order: 4 }]
    expect(compose({ dialogue, steps, lastOrder: 4 })).toEqual([
      '| User: "Find out why the exporter drops the last row."',
      "| Agent's last words: The writer flushes before the last row is appended.",
      '| Doing last: "Now let me move the flush behind the loop.", then edited src/writer.ts',
    ])
  })

  test("the preamble of a harness's summary is not quoted", () => {
    const summary =
      'This session is being continued from a previous conversation that ran out of context.\n\n<analysis>Looking at the messages in order.</analysis>\n\nThe lexer was rewritten without regular expressions.'
    const dialogue = [
      agent(summary, 1, 'summary'),
      user('Now speed up the grammar, please.', 2),
      agent('It is slow.', 3),
    ]
    expect(find(compose({ dialogue, lastOrder: 4 }), 'Agent earlier')).toBe(
      '| Agent earlier: The lexer was rewritten without regular expressions.',
    )
  })

  test('list items stay behind the sentence that introduces them', () => {
    const dialogue = [
      user('Write down which files hold secrets.', 1),
      agent('I read the writer. These files hold secrets:\n- full.jsonl\n- prompt.txt', 2, 'turn-final'),
    ]
    expect(compose({ dialogue, lastOrder: 2 })[1]).toBe(
      "| Agent's last words: I read the writer. These files hold secrets: full.jsonl; prompt.txt",
    )
  })
})
