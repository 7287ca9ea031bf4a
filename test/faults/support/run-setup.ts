import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { HoldfastError } from '../../../src/kernel/errors.ts'
import { systemClock } from '../../../src/platform/base/clock.ts'
import { systemEntropy } from '../../../src/platform/base/crypto.ts'
import { createRedactors } from '../../../src/platform/redactors.ts'
import { createGitHistory } from '../../../src/platform/git/git-queries.ts'
import { createGit } from '../../../src/platform/git/git.ts'
import { createLocator } from '../../../src/platform/locator.ts'
import { systemProcesses } from '../../../src/platform/process/processes.ts'
import { createRituals } from '../../../src/tasks/sessions/create-rituals.ts'
import { createTasks } from '../../../src/tasks/use-cases/create-tasks.ts'
import { openTaskFolder } from '../../../src/tasks/files/task-folder.ts'
import { type TaskPorts } from '../../../src/tasks/files/task-ports.ts'
import { GuardedProcesses } from '../../../src/tasks/supervisor/process/guarded-processes.ts'
import { readRunLimits } from '../../../src/tasks/supervisor/run-limits.ts'
import type { RunProgress, RunPorts } from '../../../src/tasks/supervisor/run-ports.ts'
import { Snapshots } from '../../../src/tasks/supervisor/snapshots.ts'
import { sha256 } from '../../../src/platform/base/crypto.ts'

const SLUG = 'a-task'
const env: NodeJS.ProcessEnv = {
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
}

/** The guardian as the build makes it. */
export async function buildGuardian(dir: string): Promise<string> {
  const outfile = join(dir, 'run-guardian.cjs')
  const entry = join(import.meta.dirname, '..', '..', '..', 'src', 'tasks', 'supervisor', 'process', 'guardian.ts')
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'cjs', target: 'node20.19' })
  return outfile
}

/** Governed tasks on real files without a store, which has its own tests. */
function createTaskPorts(): TaskPorts {
  const clock = systemClock
  return {
    clock,
    entropy: systemEntropy,
    redactors: createRedactors({ clock }),
    locator: createLocator({ clock }),
    git: createGit(),
    history: createGitHistory(),
    processes: systemProcesses,
    machine: { id: 'machine-1', hostId: 'machine-1', name: 'desk', sharesStore: false },
    log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
    continuity: {
      recordAll: async () => [],
      remember: async () => {
        throw new HoldfastError('unsupported', 'Nothing is remembered here.')
      },
      recall: async () => [],
      listMemories: async () => [],
      listCheckpoints: async () => [],
      checkpoint: async () => undefined,
      listEvents: async () => [],
      listSessions: async () => [],
      getSession: async () => {
        throw new HoldfastError('not-found', 'There is no such session.')
      },
    },
    memoryBackends: () => [],
    findOwnerProcess: () => undefined,
    entryPoint: 'cli',
    env,
  }
}

export interface Setup extends Disposable {
  readonly root: string
  readonly dir: string
  readonly ports: RunPorts
  readonly news: readonly RunProgress[]
  readonly at: { readonly cwd: string; readonly slug: string }
  /** The person at the keyboard wants to end it. */
  readonly interrupt: () => void
  readonly git: (...args: readonly string[]) => string
}

export interface SceneOptions {
  readonly guardian: string
  /** `packOptions["session-continuity"].run`. */
  readonly run?: Readonly<Record<string, unknown>>
  /** Without git unless told otherwise. */
  readonly hasGit?: boolean
}

/** A repository with a governed task in it, and everything that a run needs. */
export async function setUp({ guardian, run = {}, hasGit = true }: SceneOptions): Promise<Setup> {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-run-')))
  const root = join(dir, 'project')
  mkdirSync(root)
  writeFileSync(join(root, 'kept.txt'), 'as it was\n')
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid', ...args], {
      cwd: root,
      env,
      encoding: 'utf8',
    })
  if (hasGit) {
    git('init', '-q', '-b', 'main')
    git('add', '.')
    git('commit', '-qm', 'first')
  }
  const tasksOf = createTaskPorts()
  const tasks = createTasks(tasksOf)
  const at = { cwd: root, slug: SLUG }
  await tasks.create(at)
  const runId = `run-test-${systemEntropy.bytes(6).join('')}`
  const runDir = join(dir, 'run')
  mkdirSync(runDir)
  const guard = new GuardedProcesses({ runId, script: guardian, env })
  const news: RunProgress[] = []
  let isInterrupted = false
  const ports: RunPorts = {
    runId,
    dir: runDir,
    folder: openTaskFolder({ root, slug: SLUG, redactor: await tasksOf.redactors.forWorktree(root) }),
    rituals: createRituals(tasksOf),
    tasks,
    limits: readRunLimits({ run: { transientWaitSec: 0, resourceWaitSec: 0, graceSec: 1, ...run } }),
    guard,
    snapshots: await Snapshots.open({ root, dir: runDir }),
    clock: systemClock,
    processes: systemProcesses,
    random: () => 0.5,
    sha256,
    env,
    pid: process.pid,
    isInterrupted: () => isInterrupted,
    report: (one) => news.push(one),
  }
  return {
    root,
    dir,
    ports,
    news,
    at,
    git,
    interrupt: () => {
      isInterrupted = true
    },
    [Symbol.dispose]() {
      guard[Symbol.dispose]()
      rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
