import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createGitHistory } from './git-queries.ts'

describe('the history of a repository', () => {
  const history = createGitHistory()
  let root = ''
  let repository = ''
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'holdfast-history-'))
    repository = join(root, 'repository')
    mkdirSync(join(repository, 'src', 'deep'), { recursive: true })
    const git = (...args: readonly string[]) =>
      execFileSync('git', args, {
        cwd: repository,
        env: {
          ...process.env,
          GIT_AUTHOR_NAME: 'a',
          GIT_AUTHOR_EMAIL: 'a@example.com',
          GIT_COMMITTER_NAME: 'a',
          GIT_COMMITTER_EMAIL: 'a@example.com',
          GIT_COMMITTER_DATE: '2026-01-02T03:04:05Z',
          GIT_CONFIG_GLOBAL: '/dev/null',
        },
      })
    git('init', '--quiet', '--initial-branch=main')
    writeFileSync(join(repository, 'src', 'deep', 'auth.ts'), '')
    writeFileSync(join(repository, '.gitignore'), 'ignored.ts\n')
    git('add', '.')
    git('commit', '--quiet', '--message', 'First: with a \t tab')
    git('commit', '--quiet', '--allow-empty', '--message', 'Second')
    writeFileSync(join(repository, 'new [file]*.ts'), '')
    writeFileSync(join(repository, 'ignored.ts'), '')
  })
  afterAll(() => rmSync(root, { recursive: true, force: true }))

  test('is listed newest first, up to the limit', async () => {
    const all = await history.log(repository, 10)
    expect(all?.map(({ at, subject }) => ({ at, subject }))).toEqual([
      { at: '2026-01-02T03:04:05.000Z', subject: 'Second' },
      { at: '2026-01-02T03:04:05.000Z', subject: 'First: with a \t tab' },
    ])
    expect(await history.log(repository, 1)).toEqual(all?.slice(0, 1))
  })

  test('finds files by their last name, tracked or new, and none that is ignored', async () => {
    const names = ['auth.ts', 'new [file]*.ts', 'ignored.ts', 'nobody.ts']
    expect(await history.filesNamed(repository, names)).toEqual(
      expect.arrayContaining(['src/deep/auth.ts', 'new [file]*.ts']),
    )
    expect(await history.filesNamed(repository, names)).toHaveLength(2)
    expect(await history.filesNamed(repository, ['*'])).toEqual([])
    expect(await history.filesNamed(repository, [])).toEqual([])
  })

  test('is empty outside a repository', async () => {
    expect(await history.log(root, 10)).toBeUndefined()
    expect(await history.filesNamed(root, ['auth.ts'])).toBeUndefined()
    expect(await history.log('/nowhere\0', 1)).toBeUndefined()
  })
})
