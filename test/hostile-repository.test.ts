import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkIndexPair } from '../src/codemap/pair/check-pair.ts'
import { readHistory } from '../src/codemap/rank/history.ts'
import { listProjectFiles } from '../src/codemap/project-files.ts'
import { createRedactor } from '../src/redaction/redactor.ts'
import { applyPatch, checkPatch } from '../src/transfer/handoff/io/apply-patch.ts'
import { inspectPatch } from '../src/transfer/handoff/io/apply-patch.ts'
import { systemClock } from '../src/platform/base/clock.ts'
import { createGit } from '../src/platform/git/git.ts'
import { findFiltered } from '../src/platform/git/git-queries.ts'
import { createGitHistory } from '../src/platform/git/git-queries.ts'
import { runGitFully } from '../src/platform/git/git-command.ts'
import { forecastMerges } from '../src/platform/git/merge-forecast.ts'
import { createLocator } from '../src/platform/locator.ts'
import { heldCommits } from '../src/platform/git/own-objects.ts'
import { readRootCommit } from '../src/platform/git/git-queries.ts'
import { Snapshots } from '../src/tasks/supervisor/snapshots.ts'
import { listChangedFiles } from '../src/tasks/patch/changed-files.ts'
import { composePatch } from '../src/tasks/patch/patch-bundle.ts'
import { listWorkChanges } from '../src/tasks/patch/work-changes.ts'
import {
  EXPECTED_OF_PLAIN_GIT,
  type HostileRepository,
  hostileRepository,
  marksOfPlainGit,
} from './support/hostile-repository.ts'
import { tempDir } from './support/temp-dir.ts'
import { parseAddress } from '../src/sync/io/address.ts'

const dir = tempDir()
let repository: HostileRepository
beforeAll(() => {
  process.env['HOLDFAST_HOME'] = join(dir.path, 'home')
  repository = hostileRepository(dir.path)
})
afterAll(() => dir[Symbol.dispose]())

const redactor = createRedactor()
const PATCH = [
  'diff --git a/src/local.ts b/src/local.ts',
  'new file mode 100644',
  '--- /dev/null',
  '+++ b/src/new.ts',
  '@@ -0,0 +1 @@',
  '+export const fresh = 1',
  '',
].join('\n')

/** Every file of src that has git asked, and how it is driven here. What is not listed fails the walk below. */
const CALLS: Readonly<Record<string, (worktree: string, first: string) => Promise<unknown>>> = {
  'src/platform/git/git.ts': async (worktree, first) => {
    const port = createGit({ timeoutMs: 30_000 })
    await port.state(worktree)
    await port.hasCommit(worktree, first)
    await port.heldCommits(worktree, [first])
    await port.renames(worktree, first)
    await port.isInHistory(worktree, first)
  },
  'src/platform/git/git-queries.ts': async (worktree) => {
    await createGitHistory({ timeoutMs: 30_000 }).log(worktree, 10)
    await createGitHistory({ timeoutMs: 30_000 }).filesNamed(worktree, ['local.ts'])
    await readRootCommit(worktree)
  },
  'src/platform/git/git-command.ts': async (worktree, first) => {
    for (const args of [
      ['status'],
      ['diff', '-p'],
      ['diff', '-p', first],
      ['diff', '--no-index', '/dev/null', 'README.md'],
      ['diff-tree', '-p', '-r', first, 'HEAD'],
      ['log', '-p'],
      ['log', '--show-signature', '--no-show-signature', '--stat'],
      ['rev-list', '--objects', '--all'],
      ['cat-file', 'blob', 'HEAD:src/b.ts'],
      ['ls-files', '-m', '-o', '-s'],
    ])
      await runGitFully(worktree, args)
  },
  'src/platform/git/git-settings.ts': (worktree) =>
    findFiltered(worktree, [Buffer.from('src/local.ts')]).catch(() => undefined),
  'src/platform/git/own-objects.ts': (worktree, first) =>
    heldCommits(worktree, [first], { timeoutMs: 30_000, maxOutputBytes: 1_000_000 }),
  'src/platform/git/merge-forecast.ts': async (worktree) => {
    const scratch = join(dir.path, `forecast-${Math.random()}`)
    mkdirSync(scratch)
    await forecastMerges(worktree, scratch).catch(() => undefined)
  },
  'src/platform/locator.ts': (worktree) => createLocator({ clock: systemClock }).locate(worktree),
  'src/codemap/project-files.ts': (root) => listProjectFiles({ root, clock: systemClock }),
  'src/codemap/rank/history.ts': (root) => readHistory(root, ['*.ts']),
  'src/codemap/pair/check-pair.ts': (root) => checkIndexPair(root),
  // Asks `ls-files` and nothing else; the journey drives `holdfast index --refresh`.
  'src/codemap/pair/refresh-pair.ts': (root) => checkIndexPair(root),
  'src/tasks/patch/changed-files.ts': (root, first) => listChangedFiles(root, first),
  'src/tasks/patch/work-changes.ts': (root) => listWorkChanges(root).catch(() => undefined),
  'src/tasks/patch/patch-bundle.ts': async (root) => {
    await composePatch({ root, redactor }).catch(() => undefined)
    await composePatch({ root, redactor }, { withoutLinks: true }).catch(() => undefined)
  },
  // Commits only for its owner, hooks and filters included; the journey drives it with `autoCommit` off.
  'src/tasks/patch/save-work.ts': (root) => runGitFully(root, ['ls-files', '--unmerged']),
  'src/transfer/handoff/io/apply-patch.ts': async (worktree) => {
    await checkPatch(worktree, Buffer.from(PATCH))
    await applyPatch(worktree, Buffer.from(PATCH)).catch(() => undefined)
    await inspectPatch(worktree, Buffer.from(PATCH)).catch(() => undefined)
  },
  'src/transfer/handoff/io/compose.ts': (root) =>
    runGitFully(root, ['rev-list', '--first-parent', '--max-count=5', 'HEAD']),
  'src/tasks/supervisor/snapshots.ts': async (root) => {
    const snapshots = await Snapshots.open({ root, dir: join(dir.path, `run-${Math.random()}`) })
    if (snapshots === undefined) return
    const before = await snapshots.take()
    await snapshots.changes(before, await snapshots.take())
    await snapshots.restore(before, [])
    await snapshots.copyTo(before, join(dir.path, `copy-${Math.random()}`))
  },
  'src/sync/io/address.ts': (root) => parseAddress('origin', root).catch(() => undefined),
  // Has a bare repository of its own in the home; `root` is only its remote.
  'src/sync/io/git-tree.ts': async () => undefined,
  // Makes a repository of its own.
  'src/cli/demo/story.ts': async () => undefined,
}

function filesThatAskGit(): readonly string[] {
  const src = join(import.meta.dirname, '..', 'src')
  return readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .filter((path) => /\b(?:runGit|runGitFully|runGitCommand)\(/.test(readFileSync(join(src, path), 'utf8')))
    .map((path) => `src/${path}`)
    .toSorted()
}

describe('a repository that plants commands', () => {
  test('every file that has git asked is driven here', () => {
    expect(filesThatAskGit().filter((path) => !Object.hasOwn(CALLS, path))).toEqual([])
  })

  test.each(Object.keys(CALLS))('%s runs none of them', async (file) => {
    for (const worktree of [repository.root, repository.nested, repository.partial]) {
      repository.stir()
      repository.takeMarks()
      await CALLS[file]?.(worktree, repository.first)
      expect([worktree, ...repository.takeMarks()]).toEqual([worktree])
    }
  })

  test('what git is asked in spite of them is answered', async () => {
    repository.stir()
    const state = await createGit({ timeoutMs: 30_000 }).state(repository.root)
    expect(state).toMatchObject({ branch: 'main', dirty: { staged: 0 } })
    expect(state?.dirty?.paths).toContain('README.md')
    const patch = await composePatch({ root: repository.root, redactor })
    expect(patch).toMatchObject({ kind: 'patch' })
    // What a commit would hold of these is only known to their filters.
    expect(patch.kind === 'patch' && patch.leftOut).toEqual(expect.arrayContaining(['src/local.ts', 'src/inattr.ts']))
    expect(patch.kind === 'patch' && patch.patch.toString()).toContain('README.md')
    expect(await createGit({ timeoutMs: 30_000 }).state(repository.nested)).toBeUndefined()
  })

  // Last, for it changes what is there.
  test('plain git runs all of them: the marks would be seen', () => {
    repository.stir()
    expect(marksOfPlainGit(repository)).toEqual(expect.arrayContaining(EXPECTED_OF_PLAIN_GIT))
  })
})
