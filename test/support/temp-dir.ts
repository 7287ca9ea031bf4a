import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export interface TempDir extends Disposable {
  readonly path: string
  /** Writes a file, making its folders; returns its path. */
  write(name: string, content: string): string
}

/** A process that the test started and does not wait for may still put files there. */
function remove(path: string, tries: number): void {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch (thrown) {
    if (tries === 0) throw thrown
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
    remove(path, tries - 1)
  }
}

/** A folder of its own (a realpath) that is gone when the test is over. */
export function tempDir(): TempDir {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-test-')))
  return {
    path,
    write(name, content) {
      const file = join(path, name)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, content)
      return file
    },
    [Symbol.dispose]: () => remove(path, 20),
  }
}

/** Runs git as somebody, whatever this machine's user has configured. */
export function git(cwd: string, ...args: readonly string[]): string {
  const env = {
    PATH: process.env['PATH'],
    HOME: cwd,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Test',
    GIT_AUTHOR_EMAIL: 'test@example.invalid',
    GIT_COMMITTER_NAME: 'Test',
    GIT_COMMITTER_EMAIL: 'test@example.invalid',
  }
  return execFileSync('git', ['-c', 'protocol.file.allow=always', '-c', 'init.defaultBranch=main', ...args], {
    cwd,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim()
}

/** A repository with one commit, on `main`; returns its path. */
export function gitRepository(path: string): string {
  mkdirSync(path, { recursive: true })
  git(path, 'init', '-q')
  writeFileSync(join(path, 'README.md'), 'hello\n')
  git(path, 'add', '.')
  git(path, 'commit', '-q', '-m', 'first')
  return path
}
