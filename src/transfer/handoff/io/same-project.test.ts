import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { aCheckpoint } from '../../../../test/contracts/store-examples.ts'
import { aBench, PROJECT } from '../../../../test/support/continuity-setup.ts'
import { git, gitRepository, tempDir } from '../../../../test/support/temp-dir.ts'
import { createContinuity } from '../../../app/create-continuity.ts'
import { createRedactor } from '../../../redaction/redactor.ts'
import { createGit } from '../../../platform/git/git.ts'
import { composeHandoff } from './compose.ts'
import { refuseElsewhere } from './verify.ts'

const NOW = '2026-03-01T10:00:00.000Z'

test('what is of another repository is refused; one that has not fetched the last commits is the same', async () => {
  using dir = tempDir()
  const here = gitRepository(join(dir.path, 'here'))
  const there = join(dir.path, 'there')
  git(dir.path, 'clone', '-q', here, there)
  git(here, 'commit', '-q', '--allow-empty', '-m', 'not pushed')
  const [other, plain] = [join(dir.path, 'other'), join(dir.path, 'plain')]
  for (const folder of [other, plain]) mkdirSync(folder)
  git(other, 'init', '-q')
  git(other, 'commit', '-q', '--allow-empty', '-m', 'of its own')
  const head = git(here, 'rev-parse', 'HEAD').trim()
  const checkpoint = aCheckpoint('s', { place: { ...aCheckpoint('s').place, worktree: here, branch: 'main', head } })
  const input = { root: here, userHome: dir.path, places: [], memories: [], redactor: createRedactor(), now: NOW }
  const { content } = await composeHandoff({ ...input, checkpoint })
  const ports = (worktree: string) => ({ git: createGit({ timeoutMs: 60_000 }), worktree })
  await refuseElsewhere(content, ports(there))
  for (const elsewhere of [other, plain])
    await expect(refuseElsewhere(content, ports(elsewhere))).rejects.toMatchObject({
      code: 'conflict',
      message: `None of the commits that this work is based on is in ${elsewhere}: it belongs to another project.`,
    })
  // Without git nobody can tell, and whoever asks for it says where it belongs.
  const { head: _head, ...nowhere } = content.checkpoint.place
  const { commits: _commits, base: _base, ...bare } = content
  await refuseElsewhere({ ...bare, checkpoint: { ...content.checkpoint, place: nowhere } }, ports(plain))
})

test('the daemon takes no other project’s work over either', async () => {
  await using bench = await aBench()
  const { store, ports } = bench
  const deps = ports.deps(store)
  const continuity = createContinuity({ ...deps, git: { ...deps.git, hasCommit: async () => false } })
  const received = { cwd: PROJECT, checkpoint: aCheckpoint('s'), digest: 'd'.repeat(64), signedBy: 'ab'.repeat(32) }
  await expect(continuity.receiveHandoff(received)).rejects.toMatchObject({ code: 'conflict' })
  expect(await store.counts()).toMatchObject({ sessions: 0, checkpoints: 0 })
})
