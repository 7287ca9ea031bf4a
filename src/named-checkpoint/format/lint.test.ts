import { expect, test } from 'vitest'
import { describeFinding, lintCheckpoint } from './lint.ts'

function file(fields: {
  readonly task?: string
  readonly progress?: string
  readonly next?: string
  readonly blockers?: string
  readonly decisions?: string
  readonly context?: string
}): string {
  return `# Checkpoint: x\n**Created:** 2026-01-31 09:05 UTC\n**Task:** ${fields.task ?? 'Build the login page'}\n## Progress\n${fields.progress ?? ''}\n## Next Action\n${fields.next ?? ''}\n## Blockers\n${fields.blockers ?? ''}\n## Key Decisions\n${fields.decisions ?? ''}\n## Relevant Context\n${fields.context ?? ''}\n`
}

const GOOD = {
  progress: '- Wrote src/auth.py lines 45-120, login flow complete',
  next: 'Run `pytest tests/auth_test.py` to verify login',
  blockers: '- Git conflict in src/main.py lines 80-95',
  decisions: '- OAuth first, because every customer has it',
  context: '- User prefers verbose error messages',
}

const problems = (text: string) => lintCheckpoint(text).findings.map(({ field, problem }) => `${field} ${problem}`)

test('the good example of the checkpoint skill is good', () => {
  expect(lintCheckpoint(file(GOOD))).toEqual({ score: 100, findings: [] })
})

test('the bad example of the checkpoint skill is named sentence by sentence', () => {
  const bad = file({ progress: 'Worked on auth', next: 'Continue testing', blockers: 'Need to fix some conflicts' })
  expect(problems(bad)).toEqual([
    'decisions missing',
    'context missing',
    'progress vague',
    'nextAction not-runnable',
    'nextAction vague',
    'blockers vague',
    'progress no-path',
  ])
  expect(lintCheckpoint(bad).score).toBeLessThan(50)
})

test('an empty checkpoint scores almost zero', () => {
  expect(lintCheckpoint('')).toMatchObject({ score: 0 })
  expect(problems(file({}))).toEqual(
    ['progress', 'nextAction', 'blockers', 'decisions', 'context'].map((field) => `${field} missing`),
  )
})

test.each([
  'Run npm test',
  'Edit src/auth.ts: add the refresh token',
  '$ make check',
  '1. `go test ./...`',
  'Resolve the conflict in src/main.py lines 80-95',
])('%j can be acted on', (next) => {
  expect(problems(file({ ...GOOD, next }))).toEqual([])
})

test.each(['Finish it', 'Testing', 'Think about performance'])('%j cannot be acted on', (next) => {
  expect(problems(file({ ...GOOD, next }))).toContain('nextAction not-runnable')
})

test('relative times are reported; dates are not', () => {
  expect(problems(file({ ...GOOD, context: 'Deploy is tomorrow. Jane reviewed it 2 hours ago.' }))).toEqual([
    'context relative-time',
    'context relative-time',
  ])
  expect(problems(file({ ...GOOD, context: 'Deploy is on 2026-02-01.' }))).toEqual([])
})

test('"none" is an answer', () => {
  expect(problems(file({ ...GOOD, blockers: '- none', decisions: 'None.' }))).toEqual([])
})

test('a vague word in a concrete sentence is accepted', () => {
  expect(problems(file({ ...GOOD, progress: '- Continue to call `refresh()` in src/auth.ts' }))).toEqual([])
})

test('a finding is a sentence with a suggestion', () => {
  const [finding] = lintCheckpoint(
    file({ ...GOOD, progress: '- Worked on auth in src/auth.ts\n- Did some stuff' }),
  ).findings
  expect(finding && describeFinding(finding)).toBe(
    'Progress is vague: "Did some stuff". Name the file, command, error or decision.',
  )
})
