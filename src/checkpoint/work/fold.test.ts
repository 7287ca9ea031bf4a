import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyText } from '../../../test/support/any-text.ts'
import { anEvent } from '../../../test/support/events.ts'
import { type SessionEvent, type ToolCall, type ToolOutcome, EVENT_KINDS } from '../../kernel/event.ts'
import { clipMiddle } from '../../kernel/text/clip.ts'
import { foldEvent, foldNote } from './fold.ts'
import { type WorkState, emptyWork, LIMITS, parseWork } from './state.ts'
import { toSummary } from '../summary.ts'

const worktree = '/repo'

function fold(...events: readonly SessionEvent[]): WorkState {
  return events.reduce((state, event) => foldEvent(state, event, { worktree }), emptyWork())
}

function tool(call: Partial<ToolCall>, outcome: Partial<ToolOutcome> = {}): SessionEvent {
  return anEvent('tool-finished', {
    tool: { name: 'Tool', kind: 'other', files: [], ...call },
    outcome: { ok: true, ...outcome },
  })
}

const shell = (command: string, outcome: Partial<ToolOutcome> = {}) => tool({ kind: 'shell', command }, outcome)
const edit = (path: string, fragment = '') => tool({ kind: 'edit', files: [{ path, action: 'edited' }], fragment })
const ask = (prompt: string) => anEvent('prompt-submitted', { prompt })

describe('folding events', () => {
  test('of a prompt that is kept whole no more is read than of one that is cut to what is read', () => {
    const long = `Mend src/a.ts.\n${Array.from({ length: 3_000 }, (_, n) => `see src/pasted-${n}.ts`).join('\n')}\nThanks.`
    expect(long.length).toBeGreaterThan(50_000)
    const whole = anEvent('prompt-submitted', { prompt: long })
    const cut = anEvent('prompt-submitted', { prompt: clipMiddle(long, 8_000), id: whole.id })
    expect(fold(whole)).toEqual(fold(cut))
  })

  test('files are counted by what was done to them, relative to the worktree', () => {
    const state = fold(
      tool({ kind: 'read', files: [{ path: '/repo/src/a.ts', action: 'read' }] }),
      edit('/repo/src/a.ts'),
      tool({ kind: 'edit', files: [{ path: '/repo/src/new.ts', action: 'created' }] }),
      edit('/repo/src/new.ts'),
    )
    expect(toSummary(state).files.map((file) => ({ ...file, chance: undefined }))).toEqual([
      { path: 'src/a.ts', action: 'edited', reads: 1, edits: 1, lastOrder: 2, lastEditOrder: 2 },
      { path: 'src/new.ts', action: 'created', reads: 0, edits: 2, lastOrder: 4, lastEditOrder: 4 },
    ])
  })

  test('an answer has what it answers; a whole request, and one without a message before it, do not', () => {
    const offer = { kind: 'statement', text: 'Two tests fail.\n\nShall I mend them?' } as const
    const after = (state: WorkState, ...prompts: readonly string[]) =>
      prompts.reduce((next, prompt) => foldEvent(next, ask(prompt), { worktree }), foldNote(state, offer))
    const answered = after(fold(ask('yes')), 'yes, both', 'go on')
    const asked = after(fold(), 'Rename the parser to reader everywhere.')
    expect([answered, asked].map(({ asks }) => asks.map(({ text, answers }) => [text, answers]))).toEqual([
      [
        ['yes', undefined],
        ['yes, both', 'Two tests fail. Shall I mend them?'],
        ['go on', undefined],
      ],
      [['Rename the parser to reader everywhere.', undefined]],
    ])
  })

  test('an edit that failed is a look, not a change', () => {
    const state = fold(tool({ kind: 'edit', files: [{ path: 'a.ts', action: 'edited' }] }, { ok: false }))
    expect([state.files[0]?.edits, state.files[0]?.reads, state.lastEditOrder]).toEqual([0, 1, 0])
  })

  test('an inspection that found nothing, and hits of a search, are not errors', () => {
    const state = fold(
      shell('rg -n "Error" src apps', {
        ok: false,
        exitStatus: 2,
        output: 'a.md:1:TypeError: x\nrg: apps: No such file',
      }),
      shell('cat nowhere.ts', { ok: false, output: 'cat: nowhere.ts: No such file or directory' }),
    )
    expect(state.errors).toEqual([])
  })

  test.each([
    '(eval):cd:1: no such file or directory: cmd/cli',
    'bash: line 1: cd: cmd/cli: No such file or directory',
    '/bin/bash: line 1: cd: cmd/cli: No such file or directory',
    'sh: 1: cd: cannot cd to cmd/cli',
  ])('what should have run in a folder that is not there did not run: %s', (output) => {
    const state = fold(shell('cd cmd/cli && go test ./...', { ok: false, exitStatus: 1, output }))
    expect([state.commands, state.errors, state.tests]).toEqual([[], [], []])
  })

  test('nobody looked at a file that is not there', () => {
    const missing = (path: string) => ({ files: [{ path, action: 'read' as const }] })
    const state = fold(
      tool({ kind: 'read', ...missing('src/no.ts') }, { ok: false, output: 'File does not exist.' }),
      tool({ kind: 'read', ...missing('src/large.ts') }, { ok: false, output: 'File content exceeds the limit' }),
      tool(
        { kind: 'shell', command: 'cat a.ts b.ts', files: [...missing('a.ts').files, ...missing('b.ts').files] },
        { ok: false, output: 'const a = 1\ncat: b.ts: No such file or directory' },
      ),
    )
    expect(state.files.map((file) => file.path)).toEqual(['src/large.ts', 'a.ts'])
    const edit = (path: string, output: string) =>
      tool({ kind: 'edit', files: [{ path, action: 'edited' }] }, { ok: false, output })
    const edited = fold(edit('src/no.ts', 'File does not exist.'), edit('src/b.ts', 'String not found in file.'))
    expect(edited.files.map(({ path, edits }) => [path, edits])).toEqual([['src/b.ts', 0]])
  })

  test('of the files that a command searched, those that it printed nothing of were not read', () => {
    const searched = (command: string, paths: readonly string[], output: string) =>
      fold(
        tool(
          { kind: 'shell', command, files: paths.map((path) => ({ path, action: 'read' as const })) },
          { ok: true, output },
        ),
      ).files.map(({ path }) => path)
    const files = ['src/a.ts', 'src/b.ts', 'lock.json']
    const output = 'src/a.ts:3:const port = 1\nrg: lock.json: No such file or directory (os error 2)'
    expect(searched('rg -n port src/a.ts src/b.ts lock.json', files, output)).toEqual(['src/a.ts'])
    expect(searched('rg -n port src/a.ts', ['src/a.ts'], '3:const port = 1')).toEqual(['src/a.ts'])
    expect(searched('grep -hn port src/a.ts src/b.ts', files.slice(0, 2), '3:const port = 1')).toHaveLength(2)
    expect(searched('cat src/a.ts; rg -n port src/b.ts', ['src/a.ts', 'src/b.ts'], 'const a = 2')).toEqual(['src/a.ts'])
    expect(
      searched('cat src/a.ts lock.json; ls', ['src/a.ts', 'lock.json'], 'a\ncat: lock.json: No such file or directory'),
    ).toEqual(['src/a.ts'])
  })

  test('an edit that did not match is an error once it repeats', () => {
    const failed = () =>
      tool({ name: 'Edit', kind: 'edit' }, { ok: false, output: 'String to replace not found in file.' })
    const worked = tool({ name: 'Edit', kind: 'edit' })
    expect(fold(failed()).errors).toEqual([])
    expect(fold(failed(), worked, failed()).errors).toEqual([])
    expect(fold(failed(), failed(), failed()).errors.map((error) => [error.text, error.count])).toEqual([
      ['String to replace not found in file.', 3],
    ])
  })

  test('the same event twice counts once', () => {
    const event = shell('npm test', { ok: false })
    expect(fold(event, event)).toEqual(fold(event))
  })

  test('the same words from hook and transcript are stored once', () => {
    const state = fold(anEvent('turn-ended', { lastMessage: 'Done with parseLine.' }))
    const again = foldNote(state, { kind: 'statement', text: 'Done with parseLine.' })
    expect(again.statements).toEqual(state.statements)
    expect(again.dialogue?.messages).toEqual(state.dialogue?.messages)
  })

  test('words that the transcript tells after the hook at the end of the turn stand before its last ones', () => {
    const ended = fold(anEvent('turn-ended', { lastMessage: 'Now the other half.' }))
    const at = '2000-01-01T00:00:00.000Z'
    const texts = ['Let me look.', 'Found it.', 'Now the other half.']
    const late = texts.reduce((state, text) => foldNote(state, { kind: 'statement', text, at }), ended)
    expect(late.statements.map(({ text }) => text)).toEqual(texts)
    const next = foldNote(late, { kind: 'statement', text: 'Later.', at: '2999-01-01T00:00:00.000Z' })
    expect(next.statements.map(({ text }) => text)).toEqual([...texts, 'Later.'])
  })

  test('the first request survives any number of later ones', () => {
    const state = fold(...Array.from({ length: 40 }, (_, index) => ask(`please do thing number ${index}`)))
    const { asks } = toSummary(state)
    expect([asks.length, asks[0]?.text, asks.at(-1)?.text, state.promptCount]).toEqual([
      20,
      'please do thing number 0',
      'please do thing number 39',
      40,
    ])
  })

  test('commands for the harness are not requests', () => {
    expect(fold(ask('/clear'), ask('/compact ')).asks).toEqual([])
    expect(fold(ask('/dev-story')).asks.map(({ text }) => text)).toEqual(['/dev-story'])
  })

  test('a red run is red even where a pipe hid its exit status', () => {
    const state = fold(
      shell('npx vitest run | tail', { output: ' FAIL  src/a.test.ts > adds\n Tests  1 failed | 1 passed (2)' }),
    )
    const { commands, tests } = toSummary(state)
    expect([commands[0]?.ok, tests.map(({ name, status }) => [name, status])]).toEqual([
      false,
      [
        ['1 passed, 1 failed', 'failing'],
        ['src/a.test.ts > adds', 'failing'],
      ],
    ])
  })

  test('what was edited between red and green is what fixed it', () => {
    const state = fold(
      shell('go build ./...', { ok: false, exitStatus: 1, output: 'a.go:3: undefined: loadConfig' }),
      edit('a.go'),
      shell('go build ./...'),
    )
    expect(state.errors.map(({ text, resolution }) => [text, resolution])).toEqual([
      ['a.go:3: undefined: loadConfig', 'fixed by editing a.go'],
    ])
  })

  test('an error is solved when everything that its command checked succeeded, not when a part of it did', () => {
    const red = { ok: false, exitStatus: 1, output: 'a.go:3: undefined: loadConfig' }
    const solvedBy = (command: string) =>
      fold(shell('go test ./cmd ./core', red), edit('a.go'), shell(command)).errors.map(({ resolution }) => resolution)
    expect(solvedBy('go test ./...')).toEqual(['fixed by editing a.go'])
    expect(solvedBy('go vet ./...')).toEqual([undefined])
    expect(solvedBy('go test ./other')).toEqual([undefined])
  })

  test('the same command failing again and again becomes a failed approach, until it succeeds', () => {
    const fail = () => shell('make deploy', { ok: false, output: 'error: no route to host' })
    const stuck = fold(fail(), fail(), fail())
    expect(toSummary(stuck).failedApproaches).toEqual([
      '`make deploy` failed 3 times in a row, last with: error: no route to host',
    ])
    expect(toSummary(foldEvent(stuck, shell('make deploy'))).failedApproaches).toEqual([])
  })

  test('work thrown away is a failed approach', () => {
    const state = fold(edit('src/a.ts'), shell('git checkout -- src/a.ts'))
    expect(toSummary(state).failedApproaches).toEqual([
      'edits to a.ts were thrown away with `git checkout -- src/a.ts`',
    ])
  })

  test.each([
    ['git checkout -- src/b.ts', []],
    ['git stash', ['edits to a.ts were thrown away with `git stash`']],
    ['git stash && npm test && git stash pop', []],
    ['git reset --hard', ['edits to a.ts were thrown away with `git reset --hard`']],
  ])('after an edit of a.ts, %s leaves %j', (command, approaches) => {
    expect(toSummary(fold(edit('src/a.ts'), shell(command))).failedApproaches).toEqual(approaches)
  })

  test.each([
    ['git checkout -- docs/guide.md', ['edits to guide.md were thrown away with `git checkout -- docs/guide.md`']],
    ['git checkout -- guide.md', ['edits to guide.md were thrown away with `git checkout -- guide.md`']],
    ['git restore docs/', ['edits to guide.md, a.ts were thrown away with `git restore docs/`']],
    ['git checkout -- guide', []],
  ])('%s throws away what it names, and not its namesake in another worktree', (command, approaches) => {
    const state = fold(edit('docs/guide.md'), edit('docs/a.ts'), edit('/srv/other/docs/guide.md'), shell(command))
    expect(toSummary(state).failedApproaches).toEqual(approaches)
  })

  test('a subagent edits files but asks nothing, says nothing and waits for nobody', () => {
    const subagent = { id: 'a1' }
    const state = fold(
      ask('split the parser'),
      { ...ask('you are a subagent'), subagent },
      { ...edit('src/b.ts'), subagent },
      { ...anEvent('turn-ended'), subagent },
    )
    expect([state.asks.length, state.turnEnded, state.files.map(({ path }) => path)]).toEqual([
      1,
      undefined,
      ['src/b.ts'],
    ])
  })

  test('decisions made are observed, decisions merely stated are claimed, and nothing else is one', () => {
    const state = foldNote(fold(anEvent('decision-made', { decision: 'Use SQLite' })), {
      kind: 'statement',
      text: 'I looked around.\n**Decision:** keep the parser by hand\nWe decided nothing else.',
    })
    expect(state.decisions.map(({ decision, evidence }) => [decision, evidence])).toEqual([
      ['Use SQLite', 'observed'],
      ['keep the parser by hand', 'claimed'],
    ])
  })

  test('every list stays within its limit and the state reads back, whatever happens', () => {
    const anyEvent = fc
      .record({
        kind: fc.constantFrom(...EVENT_KINDS),
        text: anyText({ maxLength: 80 }),
        path: anyText({ maxLength: 20 }),
        ok: fc.boolean(),
      })
      .map(({ kind, text, path, ok }) => {
        if (kind === 'prompt-submitted') return ask(text)
        if (kind !== 'tool-finished') return anEvent(kind)
        const files = [{ path, action: ok ? ('edited' as const) : ('read' as const) }]
        return tool({ kind: 'shell', command: text, fragment: text, files }, { ok, output: text })
      })
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 60 }), (events) => {
        const state = fold(...events)
        expect(parseWork(JSON.stringify(state))).toEqual(JSON.parse(JSON.stringify(state)))
        expect(state.asks.length).toBeLessThanOrEqual(LIMITS.asks)
      }),
      { numRuns: 50 },
    )
  })
})

describe('reading a kept state', () => {
  test.each([
    '',
    'null',
    '[]',
    '{"version":2}',
    '{"version":1}',
    JSON.stringify({ ...emptyWork(), files: [{ path: 1 }] }),
  ])('%s gives an empty state', (json) => {
    expect(parseWork(json)).toEqual(emptyWork())
  })
})
