import type { TaskRef } from '../tasks.ts'
import type { Home } from '../../platform/base/home.ts'
import { createRituals } from '../sessions/create-rituals.ts'
import { createTasks } from '../use-cases/create-tasks.ts'
import { openTask } from '../files/open-task.ts'
import { type TaskPorts } from '../files/task-ports.ts'
import { requireEmergencyReview } from '../sessions/emergency-stop.ts'
import { GuardedProcesses } from './process/guarded-processes.ts'
import { createLinker, type HarnessLinks } from './link-harness.ts'
import { createRunDir } from './run-dir.ts'
import { type LimitOverrides, readRunLimits } from './run-limits.ts'
import type { RunReport } from './run-state.ts'
import type { RunPorts } from './run-ports.ts'
import { Snapshots } from './snapshots.ts'
import { type RunInput, supervise } from './supervise.ts'
import { sha256 } from '../../platform/base/crypto.ts'

export interface SuperviseTaskInput {
  readonly runId: string
  readonly ports: TaskPorts
  readonly at: TaskRef
  readonly home: Pick<Home, 'root'>
  readonly env: NodeJS.ProcessEnv
  readonly pid: number
  /** The guardian's bundle. */
  readonly guardian: string
  readonly random: () => number
  readonly isInterrupted: () => boolean
  readonly isReviewed: boolean
  readonly report: RunPorts['report']
  /** Open sessions of a checkout. */
  readonly listSessions: (cwd: string) => ReturnType<HarnessLinks['list']>
  readonly limits: LimitOverrides
  readonly input: RunInput
}

/** Runs a task: creates the run's ports, supervises it and cleans up. */
export async function superviseTask(
  given: SuperviseTaskInput,
): Promise<{ readonly report: RunReport; readonly root: string }> {
  const { ports, at, runId, pid, env } = given
  const { folder, governance } = await openTask(ports, at)
  const limits = readRunLimits(governance.options, given.limits)
  requireEmergencyReview(folder, { isReviewed: given.isReviewed, at: ports.clock.now() })
  using runDir = createRunDir({ home: given.home, runId, pid, processes: ports.processes })
  const { path: dir } = runDir
  const snapshots = await Snapshots.open({ root: folder.root, dir })
  if (snapshots === undefined)
    given.report({
      kind: 'note',
      text: 'This is not a git repository: changes are not detected, and nothing can be rolled back.',
    })
  using guard = new GuardedProcesses({ runId, script: given.guardian, env })
  const report = await supervise(
    {
      runId,
      dir,
      folder,
      rituals: createRituals(ports),
      tasks: createTasks(ports),
      limits,
      guard,
      snapshots,
      clock: ports.clock,
      processes: ports.processes,
      random: given.random,
      sha256,
      env,
      pid,
      isInterrupted: given.isInterrupted,
      report: given.report,
      onProcesses: createLinker({
        root: folder.root,
        clock: ports.clock,
        list: () => given.listSessions(folder.root),
        record: (events) => ports.continuity.recordAll(events),
        onProblem: (text) => given.report({ kind: 'note', text }),
      }),
    },
    given.input,
  )
  return { report, root: folder.root }
}
