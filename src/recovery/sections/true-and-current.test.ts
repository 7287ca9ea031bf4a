import { describe, expect, test } from 'vitest'
import { agent, compose, find, sha256, user } from '../../../test/support/recovery-lines.ts'
import { aCheckpointOf } from '../../../test/support/checkpoints.ts'
import type { ToolStep, WorkSummary } from '../../kernel/checkpoint.ts'
import { composeRecovery } from '../compose.ts'
import { mergeCheckpoints } from '../merge/merge-checkpoints.ts'
import { toUncheckedView } from '../revalidate/revalidate.ts'

describe('what was said, in its order', () => {
  test('a request after the last words is not answered by them', () => {
    const dialogue = [
      user('Which of the two designs is simpler to test?', 1),
      agent('The first one clutters the production code. Which one matters more to you?', 2, 'turn-final'),
      user('Check out the branch and use the struct design there.', 3),
    ]
    const lines = compose({ dialogue, lastOrder: 9 })
    expect(lines).toContain('| User: "Check out the branch and use the struct design there."')
    expect(find(lines, 'Agent, before that request: The first one clutters')).not.toBe('')
    expect(find(lines, "User's last request")).toBe('')
    expect(find(lines, "Agent's last words")).toBe('')
  })

  test('short requests follow the one that says what the work is', () => {
    const dialogue = [
      user('Make sure that all five fixes of the review are tested.', 1),
      agent('All five have a test in src/review.test.ts.', 2, 'turn-final'),
      user('commit, then push', 3),
      agent('Pushed as 79392c74 to the branch.', 4, 'turn-final'),
      user('more comments', 5),
      agent('Replied to the three new comments in src/state.ts.', 6, 'turn-final'),
    ]
    // The turns of the first two ended: only the last may have to go on.
    expect(compose({ dialogue, lastOrder: 6 }).slice(0, 2)).toEqual([
      '| User earlier: "Make sure that all five fixes of the review are tested."',
      '| User\'s last request, turn finished: "more comments"',
    ])
  })

  test('a failing run that was pasted without a word is the request', () => {
    const pasted = [
      '--- FAIL: TestRevertedFiles (0.42s)',
      '    finalize_test.go:808: Second commit should NOT have a trailer, got 7940d5559a34',
      'FAIL',
      'FAIL example.com/cli/integration_test 1.736s',
    ].join('\n')
    const dialogue = [
      user('Treat a missing shadow file as no overlap, please.', 1),
      agent('Changed stagedFilesOverlap in overlap.go.', 2, 'turn-final'),
      user(pasted, 3),
    ]
    expect(find(compose({ dialogue, lastOrder: 5 }), 'User: ')).toContain(
      '(pasted output: --- FAIL: TestRevertedFiles; finalize_test.go:808: Second commit should NOT have a trailer',
    )
  })

  test('a question with options is not repeated once it was answered', () => {
    const offer = [
      'The review of fetch.ts is done: nine patches, two decisions.',
      '',
      'Would you like me to:',
      '1. Apply all patches at once',
      '2. Walk through each of them',
    ].join('\n')
    const dialogue = [
      user('Review the story about fetching checkpoints, with three layers.', 1),
      agent(offer, 2, 'turn-final'),
      user('Apply all of them, and keep the regular expression as it is.', 3),
      agent('Applying the nine patches to fetch.ts.', 4),
    ]
    const text = compose({ dialogue, lastOrder: 6 }).join('\n')
    expect(text).toContain('The review of fetch.ts is done: nine patches, two decisions.')
    expect(text).not.toContain('Walk through')
  })

  test('remarks between tool calls are not repeated later', () => {
    const dialogue = [
      user('Remove the transcript path from the session state.', 1),
      agent('Good. All imports are valid.', 2),
      agent('2 of 3 layers are done. Waiting for the auditor...', 3),
      agent('SessionState is an alias of session.State, so one field in state.go suffices.', 4),
      agent('The field StartedAt in state.go is not used yet.', 5),
      agent('Now let me update resume.go.', 6),
      agent('The fallback in resume.go uses the zero time, because LookupSessionLog returns no metadata.', 7),
    ]
    const text = compose({ dialogue, lastOrder: 8 }).join('\n')
    expect(text).toContain('SessionState is an alias')
    expect(text).not.toContain('All imports are valid')
    expect(text).not.toContain('Waiting for the auditor')
  })

  test('an introduction without its list, and the head of a table, say nothing', () => {
    const plan = [
      '# Plan: Add the version to the metadata',
      '',
      'Create a package for the version, which breaks the import cycle.',
      '',
      '### 4. `checkpoint/checkpoint.go`',
      '',
      'Add `CLIVersion string` to `CheckpointSummary` (line ~410):',
      '```go',
      'CLIVersion string',
      '```',
      '',
      '| File | Change |',
      '|------|--------|',
      '| `root.go` | Remove vars |',
      '',
      'x'.repeat(1_500),
    ].join('\n')
    const text = compose({ dialogue: [user(plan, 1), agent('I start.', 2)], lastOrder: 3 }).join('\n')
    expect(text).toContain('4. checkpoint/checkpoint.go: Add CLIVersion string to CheckpointSummary (line ~410)')
    expect(text).toContain('root.go – Remove vars')
    expect(text).not.toContain('File – Change')
  })
})

describe('what did not work', () => {
  const step = (kind: ToolStep['kind'], what: string, order: number, error?: string): ToolStep => ({
    kind,
    what,
    order,
    ok: error === undefined,
    ...(error === undefined ? {} : { error }),
  })
  const failing = (...steps: readonly ToolStep[]) => find(compose({ steps, lastOrder: 9 }), 'Did not work')

  test('is named where the reason still holds: in another folder, a file that is too large, a text that is there twice', () => {
    const tooLarge = 'File content (34278 tokens) exceeds maximum allowed tokens (25000). Please use offset and limit.'
    expect(failing(step('read', 'src/a_test.go', 2, tooLarge))).toBe(
      '| Did not work: reading src/a_test.go: File content (34278 tokens) exceeds maximum allowed tokens (25000)',
    )
    expect(failing(step('edit', 'src/setup.go', 2, 'Found 2 matches of the string to replace'))).toContain(
      'editing src/setup.go: Found 2 matches',
    )
    const elsewhere = '(eval):cd:1: no such file or directory: cli/strategy'
    expect(failing(step('shell', 'cd cli/strategy && go test ./...', 3, elsewhere))).toContain('no such file')
  })

  test('is not a search that found nothing, nor what succeeded since', () => {
    expect(failing(step('shell', 'rg -n serve apps', 2, 'rg: apps: No such file or directory (os error 2)'))).toBe('')
    const missing = 'bash: redis-cli: command not found'
    expect(failing(step('shell', 'redis-cli ping', 2, missing), step('shell', 'redis-cli ping', 4))).toBe('')
  })

  test('is not what the work found another way for', () => {
    const read = step('read', 'src/a_test.go', 2, 'File content (34278 tokens) exceeds maximum allowed tokens (25000)')
    const files = (lastOrder: number) => [
      { path: 'src/a_test.go', action: 'read' as const, reads: 2, edits: 0, lastOrder },
    ]
    const after = (steps: readonly ToolStep[], more: Partial<WorkSummary> = {}) =>
      find(compose({ steps, lastOrder: 9, ...more }), 'Did not work')
    const next = [user('Then write the guide yourself.', 4)]
    expect(after([read], { files: files(2) })).toContain('exceeds maximum')
    expect(after([read], { files: files(4) })).toBe('')
    const twice = step('edit', 'src/a_test.go', 2, 'Found 2 matches of the string to replace')
    const edited = files(4).map((file) => ({ ...file, action: 'edited' as const, edits: 1, lastEditOrder: 4 }))
    expect(after([twice], { files: files(4) })).toContain('Found 2 matches')
    expect(after([twice], { files: edited, dialogue: next })).toBe('')
    const inFolder = step('shell', 'cd src && npm test', 2, 'bash: line 1: cd: src: No such file or directory')
    expect(after([inFolder])).toContain('cd: src')
    expect(after([inFolder, step('shell', 'npm run lint', 3)], { dialogue: next })).toBe('')
    const noPage = step('web', 'https://example.com/guide', 2, 'Request failed with status code 404')
    expect(after([noPage])).toContain('404')
    expect(after([noPage, step('web', 'https://example.com/handbook', 3)])).toBe('')
    expect(after([noPage], { dialogue: next })).toBe('')
    const noProgram = step('shell', 'playwright test', 2, 'sh: playwright: command not found')
    expect(after([noProgram, step('shell', 'npm run lint', 3)])).toContain('command not found')
    expect(after([noProgram, step('shell', 'npx playwright test', 3)])).toBe('')
  })
})

test('what is next keeps its room beside long messages', () => {
  const long = (topic: string) =>
    Array.from(
      { length: 12 },
      (_, index) => `The ${topic} ${index} changes src/${topic}${index}.ts because it was wrong there.`,
    ).join(' ')
  const lines = compose({
    dialogue: [
      user(long('request'), 1),
      agent(long('finding'), 2, 'turn-final'),
      user('go on with the second part', 3),
      agent(long('step'), 4),
    ],
    todos: [
      { text: 'Wire the hooks', status: 'in_progress' },
      { text: 'Run the integration tests', status: 'pending' },
    ],
    lastOrder: 9,
  })
  expect(lines).toContain('| Next: (in progress) Wire the hooks; Run the integration tests')
})

describe('that nothing was edited', () => {
  const read = (path: string): ToolStep => ({ kind: 'read', what: path, ok: true, order: 2 })
  const files = ['a.ts', 'b.ts', 'c.ts', 'd.ts'].map((path) => ({
    path,
    action: 'read' as const,
    reads: 1,
    edits: 0,
    lastOrder: 2,
  }))
  const run = (what: string): ToolStep => ({ kind: 'shell', what, ok: true, order: 3 })
  const said = (work: Partial<WorkSummary>) => compose({ files, lastOrder: 9, ...work }).join('\n')

  test('is said of a session that only looked', () => {
    expect(said({ steps: [read('a.ts'), run('git log -3 | cat')] })).toContain('nothing edited')
  })

  test('is not said after a command that changes something, nor while others work for it', () => {
    for (const work of [
      { steps: [read('a.ts'), run('rm -rf runs')] },
      { steps: [read('a.ts'), run('fleet add layout --prompt task.md')] },
      { steps: [read('a.ts'), { ...run('review the layout'), kind: 'agent' as const }] },
      { steps: [read('a.ts')], inFlight: [{ kind: 'shell' as const, what: 'fleet wait layout', order: 4 }] },
    ])
      expect(said(work)).not.toContain('nothing edited')
  })
})

describe('words that carry the meaning', () => {
  test('words of uncertainty before pasted text and the condition above a case stay', () => {
    const unsure =
      "i'm not sure if  aggregator:\ntype: code-grader\npath: ./scripts/or.js\nworks. can you ensure we have an example that runs."
    expect(find(compose({ dialogue: [user(unsure, 1)], lastOrder: 1 }), 'User')).toContain(
      "i'm not sure if aggregator:",
    )
    const proposal = [
      'Proposed logic for the cleanup of stale session files in the store:',
      '',
      '1. **Session states** - Orphaned if:',
      '   - No checkpoint refers to the session',
      '   - No branch exists for the base commit',
      `2. **Logs** - ${'Kept for a while because readers of the old format need them. '.repeat(9)}`,
    ].join('\n')
    const text = compose({
      dialogue: [
        user('Clean up what stale sessions leave behind, please.', 1),
        agent(proposal, 2, 'turn-final'),
        user('yes', 3),
      ],
      lastOrder: 9,
    }).join('\n')
    expect(text.includes('No branch exists')).toBe(true)
    expect(text.indexOf('Orphaned if')).toBeGreaterThan(0)
    expect(text.indexOf('Orphaned if')).toBeLessThan(text.indexOf('No branch exists'))
  })

  test('a plan keeps the order that it came with', () => {
    const plan = [
      'Implement the following plan:',
      '',
      '# Fix the trailers of commits',
      '',
      'Commits that are made within a turn get no trailer. '.repeat(40),
    ].join('\n')
    expect(find(compose({ dialogue: [user(plan, 1), agent('I start.', 2)], lastOrder: 3 }), 'User')).toContain(
      '"Implement the following plan: Fix the trailers of commits"',
    )
  })

  test('an answer is not a rule, and a farewell is not a request', () => {
    const dialogue = [
      user('Write down what is missing in the grader docs.', 1),
      agent('Do you mean the policy or the content?', 2, 'turn-final'),
      user('i mean specific to content not policy', 3),
      agent('Then the composite example is missing in graders.mdx.', 4, 'turn-final'),
      user('thanks, see you tomorrow!', 5),
    ]
    const text = compose({ dialogue, lastOrder: 5 }).join('\n')
    expect(text).not.toContain('Rules:')
    expect(text).not.toContain('see you tomorrow')
    expect(text).not.toContain('not answered yet')
  })

  test('a remark that the agent acted on leaves the request under way', () => {
    const dialogue = [
      user('Address the findings H1 to H4, then update the review with what was done and commit it.', 1),
      agent('Starting with H1.', 2),
      user('we also use migrations in staging, so I dont think that we need to avoid migrations based on dev', 4),
      agent('Good point, I add a migration for H2.', 5),
    ]
    const todos = [
      { text: 'Fix H2', status: 'completed' as const },
      { text: 'Update the review and commit', status: 'in_progress' as const },
    ]
    const lines = compose({ dialogue, todos, todosOrder: 20, lastOrder: 30 })
    expect(find(lines, 'User: ')).toContain('User: "Address the findings H1 to H4, then update the review')
  })
})

test('a failed run says that its tests passed since by name, and names what "1 failed" was', () => {
  const failed = {
    command: 'npm run test:all',
    purpose: 'test',
    verdict: 'failed',
    line: '1 failed',
    failing: ['imports a file twice'],
    order: 5,
  } as const
  const line = (after: WorkSummary['checks']) =>
    find(compose({ checks: [failed, ...(after ?? [])], lastOrder: 9 }), 'Checks')
  expect(line([])).toBe('| Checks: `npm run test:all` failed: 1 failed: imports a file twice')
  const other = { command: 'npx vitest -t "exports"', purpose: 'test', verdict: 'passed', order: 7 } as const
  expect(line([other])).not.toContain('later run')
  expect(line([{ ...other, command: 'npx vitest -t "imports a file"' }])).toContain(
    '1 failed: imports a file twice (passed in a later run)',
  )
})

describe('a check', () => {
  const run = (command: string, verdict: 'passed' | 'failed', order: number, line?: string) =>
    ({ command, purpose: 'test', verdict, order, ...(line === undefined ? {} : { line }) }) as const
  const said = (checks: WorkSummary['checks'], more: Partial<WorkSummary> = {}) =>
    find(compose({ checks, lastOrder: 9, ...more }), 'Checks')

  test('is named so that it differs from another that was run with the same flags', () => {
    const command = (folder: string) => `go test -count=1 -tags=integration -race ./cmd/server/internal/deep/${folder}`
    const line = said([run(command('strategy'), 'passed', 3), run(command('integration_test'), 'failed', 4)])
    expect(line).toContain('deep/integration_test` failed')
    expect(line).toContain('deep/strategy` passed')
    const long = (end: string) => run(`go test ./a -run ${'TestOf'.repeat(9)}${end}${'Case'.repeat(9)}`, 'passed', 3)
    const twins = said([long('A'), { ...long('B'), verdict: 'failed', order: 4 }])
    expect(twins).toContain('TestOfACase')
    expect(twins).toContain('TestOfBCase')
  })

  test('that failed is not current after a green run of everything, and current after an older one', () => {
    const narrow = run('go test ./store -run TestSave', 'failed', 4, '--- FAIL: TestSave (0.07s)')
    const whole = (order: number) => run('mise run test', 'passed', order)
    expect(said([narrow, whole(6)])).toBe('| Checks: `mise run test` passed')
    expect(said([whole(2), narrow])).toContain('TestSave` failed: --- FAIL: TestSave')
    expect(said([{ ...narrow, command: 'go test -tags=e2e ./e2e' }, whole(6)])).toContain('./e2e` failed')
  })

  test('quotes the line that it ended with as it was printed', () => {
    const line = 'FAIL example.com/app/cmd/server/internal/store 2.674s'
    const error = {
      text: line,
      signature: 'fail store #',
      count: 1,
      command: 'go test ./...',
      lastOrder: 4,
    }
    expect(said([run('go test ./...', 'failed', 4, line)], { errors: [error] })).toBe(
      `| Checks: \`go test ./...\` failed: ${line}`,
    )
  })
})

test('a merge with conflicts is said with what was edited since, and is what git says now where that is known', () => {
  const work = {
    merge: { command: 'git merge origin/main', conflicts: ['src/a.ts', 'src/b.ts'], order: 3 },
    files: [{ path: 'src/a.ts', action: 'edited', reads: 0, edits: 1, lastEditOrder: 5, lastOrder: 5 }],
    lastEditOrder: 5,
    lastOrder: 6,
  } as const
  expect(find(compose(work), 'Merge')).toBe(
    '| Merge not concluded: `git merge origin/main` stopped at 2 conflicts; edited since: src/a.ts; not edited: src/b.ts',
  )
  const now = (unmerged: readonly string[]) => {
    const view = toUncheckedView(mergeCheckpoints([aCheckpointOf(work)]))
    const checked = {
      ...view,
      isChecked: true,
      git: { branch: 'main', ...(unmerged.length === 0 ? {} : { unmerged }) },
    }
    return composeRecovery(checked, { budgetChars: 2_000, sha256 }).text
  }
  expect(now(['src/b.ts'])).toContain('stopped at conflicts in src/b.ts')
  expect(now([])).not.toContain('Merge not concluded')
})
