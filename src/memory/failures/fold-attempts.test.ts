import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anEvent } from '../../../test/support/events.ts'
import type { SessionEvent } from '../../kernel/event.ts'
import { noAttempts } from './attempts.ts'
import { keyedCommands } from '../../kernel/shell/command-key.ts'
import { detectFindings } from './findings.ts'
import { foldAttempt } from './fold-attempts.ts'
import { detectLoops } from './command-loop.ts'

const WORKTREE = '/srv/app'
const EARLIER = '2026-01-02T03:00:00.000Z'
const RED = 'FAIL src/a.test.ts > adds\nAssertionError: expected 3 to be 4\nTests  1 failed | 4 passed (5)'
const GREEN = 'Tests  5 passed (5)'

function run(
  command: string,
  exitStatus: number,
  output = exitStatus === 0 ? 'fine' : 'TypeError: x is not a function',
) {
  return anEvent('tool-finished', {
    tool: { name: 'Bash', kind: 'shell', files: [], command },
    outcome: { ok: exitStatus === 0, exitStatus, output },
  })
}

function edit(path: string, fragment?: string) {
  return anEvent('tool-finished', {
    tool: {
      name: 'Edit',
      kind: 'edit',
      files: [{ path: `${WORKTREE}/${path}`, action: 'edited' }],
      ...(fragment === undefined ? {} : { fragment }),
    },
    outcome: { ok: true },
  })
}

const bySubagent = (event: SessionEvent, id: string): SessionEvent => ({ ...event, subagent: { id } })

function stateAfter(events: readonly SessionEvent[]) {
  return events.reduce(
    (state, event, index) => foldAttempt(state, { seq: index + 1, event }, { worktree: WORKTREE }),
    noAttempts(),
  )
}

const foundIn = (events: readonly SessionEvent[]) => detectFindings(stateAfter(events))
const kindsIn = (events: readonly SessionEvent[]) => foundIn(events).map(({ kind }) => kind)

describe('finds', () => {
  test('a command that failed three times with nothing changed', () => {
    const events = [run('npm run build', 2), run('npm run build 2>&1 | tail', 2), run('CI=1 npm run build', 2)]
    expect(foundIn(events)).toEqual([
      {
        kind: 'retry-burst',
        keys: ['npm build'],
        command: 'npm run build',
        purpose: 'build',
        seqs: [1, 2, 3],
        failures: 3,
        exitStatus: 2,
        error: 'TypeError: x is not a function',
        traits: ['typeerror: x is not a function'],
        files: [],
      },
    ])
  })

  test('a fix after which the same test fails no less', () => {
    const events = [run('npm test', 1, RED), edit('src/a.ts'), run('npm test', 1, RED)]
    expect(foundIn(events)).toMatchObject([
      { kind: 'red-red', keys: ['npm test'], seqs: [1, 3], failures: 2, files: ['src/a.ts'] },
    ])
  })

  test('edits that a command discarded after a check had failed on them', () => {
    const events = [edit('src/a.ts'), run('npm test', 1, RED), run('git checkout -- src/a.ts', 0)]
    expect(foundIn(events)).toMatchObject([
      { kind: 'revert', files: ['src/a.ts'], undone: { how: 'git checkout -- src/a.ts', helped: false } },
    ])
  })

  test('edits that broke a check and were edited back, which helped', () => {
    const events = [
      run('npm test', 0, GREEN),
      edit('src/a.ts', 'return a\nreturn a + b'),
      run('npm test', 1, RED),
      edit('src/a.ts', 'return a + b\nreturn a'),
      run('npm test', 0, GREEN),
    ]
    expect(foundIn(events)).toMatchObject([
      { kind: 'revert', seqs: [3], undone: { how: 'edited back to what it was', helped: true } },
    ])
  })

  test('an error that several commands end in, or that comes back', () => {
    const missing = 'Error: connect ECONNREFUSED to the database "app"'
    const several = [
      run('npm run seed', 1, missing),
      run('npm run migrate', 1, missing),
      run('npm run seed', 1, missing),
    ]
    expect(foundIn(several)).toMatchObject([
      { kind: 'recurring-error', keys: ['npm seed', 'npm migrate'], failures: 3 },
    ])
    const comesBack = [
      run('npm run seed', 1, missing),
      run('npm run seed', 0),
      run('npm run seed', 1, missing),
      run('npm run seed', 0),
      run('npm run seed', 1, missing),
    ]
    expect(foundIn(comesBack)).toMatchObject([{ kind: 'recurring-error', failures: 3, seqs: [1, 3, 5] }])
  })

  test('what two subagents, or one and the main thread, fail at alike', () => {
    const build = () => run('npm run build', 2)
    expect(kindsIn([build(), build(), build()].map((event) => bySubagent(event, 'a')))).toEqual([])
    expect(kindsIn([bySubagent(build(), 'a'), bySubagent(build(), 'b'), bySubagent(build(), 'b')])).toEqual([
      'retry-burst',
    ])
    expect(kindsIn([bySubagent(build(), 'a'), build(), bySubagent(build(), 'a')])).toEqual(['retry-burst'])
  })
})

describe('does not find', () => {
  test.each<[string, readonly SessionEvent[]]>([
    ['red, then green', [run('npm test', 1, RED), edit('src/a.ts'), run('npm test', 0, GREEN)]],
    [
      'red, red, then green',
      [run('npm test', 1, RED), edit('src/a.ts'), run('npm test', 1, RED), edit('src/a.ts'), run('npm test', 0, GREEN)],
    ],
    ['writing the test first', [run('npm test', 1, RED), edit('src/a.test.ts'), run('npm test', 1, RED)]],
    [
      'less red than before',
      [
        run('npm test', 1, RED.replace('1 failed', '4 failed')),
        edit('src/a.ts'),
        run('npm test', 1, RED.replace('1 failed', '2 failed')),
      ],
    ],
    [
      'another error than before',
      [run('npm run build', 2), edit('src/a.ts'), run('npm run build', 2, 'TypeError: y is undefined')],
    ],
    [
      'a flaky test that passes on the next run',
      [run('npm test', 1, RED), run('npm test', 0, GREEN), run('npm test', 0)],
    ],
    [
      'a flaky test that now and then passes',
      [run('npm test', 1, RED), run('npm test', 0, GREEN), run('npm test', 1, RED), run('npm test', 0, GREEN)],
    ],
    [
      'another test of the same package',
      [
        run('go test ./...', 1, '--- FAIL: TestA (0.00s)\nFAIL\nFAIL\texample.com/app/parser\t0.3s'),
        edit('parser.go'),
        run('go test ./...', 1, '--- FAIL: TestB (0.00s)\nFAIL\nFAIL\texample.com/app/parser\t0.4s'),
      ],
    ],
    ['asking again and again', Array.from({ length: 5 }, () => run('git status', 128, 'fatal: not a git repository'))],
    ['waiting for a server', Array.from({ length: 5 }, () => run('curl -sf localhost:3000', 7, 'curl: (7) refused'))],
    ['a run that somebody ended', [130, 137, 143].map((status) => run('npm run build', status))],
    ['a search that finds nothing', Array.from({ length: 5 }, () => run('grep -rn foo src', 1, ''))],
    [
      'a call that the user refused',
      Array.from({ length: 4 }, () =>
        anEvent('tool-finished', {
          tool: { name: 'Bash', kind: 'shell', files: [], command: 'npm run deploy' },
          outcome: { ok: false, output: "The user doesn't want to proceed with this tool use. Error: rejected" },
        }),
      ),
    ],
    [
      'a call that was interrupted',
      Array.from({ length: 4 }, () =>
        anEvent('tool-finished', {
          tool: { name: 'Bash', kind: 'shell', files: [], command: 'npm start' },
          outcome: { ok: false, exitStatus: 1, interrupted: true, output: 'Error: stopped' },
        }),
      ),
    ],
    [
      'print statements that were put in and taken out again',
      [
        run('npm test', 1, RED),
        edit('src/a.ts', 'return a\nconsole.log(a)\nreturn a'),
        run('npm test -- -v', 1, 'noise'),
        edit('src/a.ts', 'console.log(a)\nreturn a\nreturn a'),
      ],
    ],
    [
      'failures that a transcript reports after the command succeeded',
      [run('npm test', 0, GREEN), ...Array.from({ length: 3 }, () => ({ ...run('npm test', 1, RED), at: EARLIER }))],
    ],
    ['stashed edits', [edit('src/a.ts'), run('npm test', 1, RED), run('git stash', 0), run('git stash pop', 0)]],
    ['documents thrown away', [edit('docs/a.md'), run('npm test', 1, RED), run('git checkout -- docs/a.md', 0)]],
  ])('%s', (_, events) => {
    expect(foundIn(events)).toEqual([])
  })
})

describe('cycles between compactions', () => {
  const compacted = anEvent('session-started', { source: 'compact' })
  const read = anEvent('tool-finished', {
    tool: { name: 'Read', kind: 'read', files: [{ path: 'src/a.ts', action: 'read' }] },
  })
  const idleAfter = (...events: readonly SessionEvent[]) => stateAfter(events).cycle.idle

  test.each<[string, number, readonly SessionEvent[]]>([
    ['the same read again', 1, [read, compacted, read, compacted]],
    ['the same read again, twice', 2, [read, compacted, read, compacted, read, compacted]],
    ['a harness that compacts twice for one reason', 0, [read, compacted, compacted]],
    ['something new in between', 0, [read, compacted, read, edit('src/b.ts'), compacted]],
    ["a person's word in between", 0, [read, compacted, anEvent('prompt-submitted'), read, compacted]],
  ])('%s: %d with nothing new', (_, idle, events) => {
    expect(idleAfter(...events)).toBe(idle)
  })
})

describe('detects a loop', () => {
  const looping = (events: readonly SessionEvent[]) =>
    detectLoops(stateAfter(events), { repeats: 3 }).map(({ key }) => key)
  const build = () => run('npm run build', 2)

  test('the same command line failing the same way with nothing edited in between', () => {
    expect(looping([build(), build()])).toEqual([])
    expect(looping([build(), build(), build()])).toEqual(['npm build'])
  })

  test('not a run whose output is filtered differently', () => {
    const lines = ['npm run build', 'npm run build | head', 'npm run build | grep error', 'npm run build | tail -40']
    expect(looping(lines.map((line) => run(line, 2)))).toEqual([])
  })

  test('not two different filters, each tried twice', () => {
    const lines = ['npm run build', 'npm run build', 'npm run build | head', 'npm run build | head']
    expect(looping(lines.map((line) => run(line, 2)))).toEqual([])
    expect(looping([...lines, 'npm run build | head'].map((line) => run(line, 2)))).toEqual(['npm build'])
  })

  test('edits in between only after twice as many', () => {
    const tries = (count: number) => Array.from({ length: count }, () => [edit('src/a.ts'), build()]).flat()
    expect(looping(tries(5))).toEqual([])
    expect(looping(tries(6))).toEqual(['npm build'])
  })

  test('an edit that the harness refuses, until it succeeds', () => {
    const refused = anEvent('tool-finished', {
      tool: { name: 'Edit', kind: 'edit', files: [{ path: 'src/a.ts', action: 'edited' }] },
      outcome: { ok: false, output: 'String to replace not found in file.' },
    })
    expect(looping([refused, refused, refused])).toEqual(['edit src/a.ts'])
    expect(foundIn([refused, refused, refused, refused])).toEqual([])
    expect(looping([refused, refused, refused, edit('src/a.ts')])).toEqual([])
  })

  test('no longer after a success', () => {
    expect(looping([build(), build(), build(), run('npm run build', 0)])).toEqual([])
  })
})

describe('property:', () => {
  const anything = fc.array(
    fc.oneof(
      fc
        .record({
          command: fc.constantFrom('npm test', 'go build ./...', 'git checkout -- src/a.ts', 'ls', 'make'),
          exit: fc.constantFrom(0, 1, 2),
        })
        .map(({ command, exit }) => run(command, exit)),
      fc
        .record({ command: fc.string(), output: fc.string(), exit: fc.nat(300) })
        .map(({ command, output, exit }) => run(command, exit, output)),
      fc.constantFrom('src/a.ts', 'src/b.ts').map((path) => edit(path, 'one\ntwo')),
    ),
    { maxLength: 120 },
  )

  test('the state stays bounded, and every finding refers to seen events', () => {
    fc.assert(
      fc.property(anything, (events) => {
        const state = stateAfter(events)
        expect(state.attempts.length).toBeLessThanOrEqual(30)
        expect(state.edits.length).toBeLessThanOrEqual(60)
        for (const { seqs, failures } of detectFindings(state)) {
          expect(failures).toBeGreaterThan(0)
          for (const seq of seqs) {
            const event = events[seq - 1]
            expect(event?.kind === 'tool-finished' && event.tool.kind).toBe('shell')
          }
        }
      }),
    )
  })

  test('nothing is found for a command whose last run succeeded', () => {
    fc.assert(
      fc.property(anything, (events) => {
        const ended = [...events, run('npm test', 0), run('go build ./...', 0), run('make', 0)]
        const open = detectFindings(stateAfter(ended)).filter(({ undone }) => undone?.helped !== true)
        const passed = keyedCommands('npm test && go build ./... && make').map(({ key }) => key)
        for (const { keys } of open) expect(passed).not.toContain(keys.join())
      }),
    )
  })

  test('an event that is folded twice, or late, changes nothing', () => {
    fc.assert(
      fc.property(anything, (events) => {
        const state = stateAfter(events)
        events.forEach((event, index) => expect(foldAttempt(state, { seq: index + 1, event })).toBe(state))
      }),
    )
  })
})
