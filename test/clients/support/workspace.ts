import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** What the project's check says before it exits with 3. */
export const CHECK_FAILURE = 'AssertionError: expected 2 paragraphs to be 3'

/** Nothing of the surrounding session comes in: a client that found its parent's key or settings would prove nothing. */
function cleanEnvironment(dir: string): Record<string, string> {
  const path = [dirname(process.execPath), process.env.PATH ?? '/usr/bin:/bin'].join(':')
  return {
    PATH: path,
    HOME: join(dir, 'home'),
    TMPDIR: join(dir, 'tmp'),
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    SHELL: '/bin/bash',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
  }
}

/** A home, a temp folder and a project that is a real git repository; all gone afterwards. */
export class Workspace implements AsyncDisposable {
  private constructor(readonly dir: string) {}

  static async create(): Promise<Workspace> {
    const workspace = new Workspace(await realpath(await mkdtemp(join(tmpdir(), 'hf-'))))
    await mkdir(join(workspace.dir, 'home'))
    await mkdir(join(workspace.dir, 'tmp'))
    await workspace.addProject(workspace.project)
    return workspace
  }

  get project(): string {
    return join(this.dir, 'project')
  }

  get environment(): Record<string, string> {
    return cleanEnvironment(this.dir)
  }

  /** Programs that a client finds on its path, as a person has them. */
  get binDir(): string {
    return join(this.dir, 'bin')
  }

  /** Puts a program there by this name; clients that share a workspace may request the same one. */
  async putOnPath(name: string, program: string): Promise<void> {
    await mkdir(this.binDir, { recursive: true })
    const link = join(this.binDir, name)
    await rm(link, { force: true })
    await symlink(program, link)
  }

  async addProject(path: string): Promise<void> {
    await mkdir(path)
    await writeFile(join(path, 'README.md'), '# A small parser\n')
    await writeFile(join(path, 'check.js'), `console.error('${CHECK_FAILURE}')\nprocess.exitCode = 3\n`)
    const git = (...args: readonly string[]) => run('git', ['-C', path, ...args], { env: this.environment })
    await git('init', '--quiet', '--initial-branch=main')
    await git('add', '.')
    const author = ['-c', 'user.name=Tester', '-c', 'user.email=tester@example.invalid']
    await git(...author, 'commit', '--quiet', '--message=First')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
}
