import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { aCheckpointOf } from '../../../test/support/checkpoints.ts'
import type { CommandRun, InFlightWork, WorkSummary } from '../../kernel/checkpoint.ts'
import { composeRecovery } from '../compose.ts'
import { mergeCheckpoints } from '../merge/merge-checkpoints.ts'
import { toUncheckedView } from '../revalidate/revalidate.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

function find(label: string, work: Partial<WorkSummary>): string {
  const view = toUncheckedView(mergeCheckpoints([aCheckpointOf({ lastOrder: 9, ...work })]))
  const lines = composeRecovery(view, { budgetChars: 2_000, sha256 }).text.split('\n')
  return lines.find((line) => line.startsWith(`| ${label}`)) ?? ''
}

test('what git lists and the session did not edit comes after its own files', () => {
  const edited = { path: 'src/a.ts', action: 'edited' as const, reads: 0, edits: 1, lastOrder: 3, lastEditOrder: 3 }
  const gitStatus = { changed: ['settings.json', 'src/a.ts'], untracked: [], order: 5 }
  expect(find('Files', { files: [edited], lastEditOrder: 3, gitStatus })).toContain(
    ': changed src/a.ts; uncommitted, no edit seen here: settings.json',
  )
})

test('a plan in the home directory does not wait for a commit', () => {
  const commits = [{ subject: 'Add the lexer', hash: 'abc1234', order: 2 }]
  const plan = { path: '~/.claude/plans/a.md', action: 'edited' as const, reads: 0, edits: 1, lastOrder: 4 }
  expect(find('Done', { commits, files: [{ ...plan, lastEditOrder: 4 }] })).toBe(
    '| Done: commit abc1234 "Add the lexer"',
  )
})

test('an open read or search is named only where nothing else says what was under way', () => {
  const open = (what: string): InFlightWork => ({ kind: 'tool', what, order: 8 })
  const steps = [{ kind: 'edit' as const, what: 'src/a.ts', ok: true, order: 7 }]
  for (const what of ['reading src/b.ts', 'looking for save', "nl -ba src/b.ts | sed -n '20,40p'"]) {
    expect(find('Started', { inFlight: [open(what)] })).toContain(what)
    expect(find('Started', { inFlight: [open(what)], steps })).toBe('')
  }
  expect(find('Started', { inFlight: [open('npm run deploy')], steps })).toContain('npm run deploy')
})

test('of the other commands the whole last run is named, with how it ended', () => {
  const run = (command: string, lastOrder: number, more: Partial<CommandRun> = {}): CommandRun => ({
    command,
    purpose: 'other',
    ok: true,
    runs: 1,
    failures: 0,
    lastOrder,
    ...more,
  })
  const also = (...commands: readonly CommandRun[]) => find('Also run', { commands })
  expect(also(run('go run ./cmd/server --port 8080', 4))).toBe('| Also run: `go run ./cmd/server --port 8080`')
  expect(also(run('deploy --to test', 4, { ok: false }))).toBe('')
  expect(also(run('deploy --to test', 4, { ok: false, runs: 2 }))).toBe('| Also run: `deploy --to test` (failed)')
  // It could not be run from what fits.
  expect(also(run(`deploy --config ${'region-north-'.repeat(9)}`, 4))).toBe('')
  const inFlight: readonly InFlightWork[] = [{ kind: 'server', what: 'pnpm --filter api dev', order: 3 }]
  expect(find('Also run', { commands: [run('pnpm --filter api dev', 3)], inFlight })).toBe('')
})
