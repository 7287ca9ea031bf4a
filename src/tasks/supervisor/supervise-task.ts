import type { TaskAt } from '../tasks.ts'
import type { Home } from '../../platform/base/home.ts'
import { createRituals } from '../sessions/create-rituals.ts'
import { createTasks } from '../use-cases/create-tasks.ts'
import { openTask } from '../files/open-task.ts'
import { hashOf, type TaskWorld } from '../files/task-ports.ts'
import { reviewEmergency } from '../sessions/emergency-review.ts'
import { Guard } from './process/guard.ts'
import { createLinker, type HarnessLinks } from './link-harness.ts'
import { makeRunDir } from './run-dir.ts'
import { type GivenLimits, runPolicy } from './run-policy.ts'
import type { RunReport } from './run-report.ts'
import type { RunWorld } from './run-ports.ts'
import { Snapshots } from './snapshots.ts'
import { type RunInput, supervise } from './supervise.ts'

export interface SuperviseTask {
  readonly runId: string
  readonly world: TaskWorld
  readonly at: TaskAt
  readonly home: Pick<Home, 'root'>
  readonly env: NodeJS.ProcessEnv
  readonly pid: number
  /** The guardian's bundle. */
  readonly guardian: string
  readonly random: () => number
  readonly isInterrupted: () => boolean
  readonly isReviewed: boolean
  readonly tell: RunWorld['tell']
  /** Sessions of a checkout that are under way, as the event log has them. */
  readonly listSessions: (cwd: string) => ReturnType<HarnessLinks['list']>
  readonly limits: GivenLimits
  readonly input: RunInput
}

/** One run of a task from the command to its report: everything it needs is made here, and nothing of it stays. */
export async function superviseTask(
  given: SuperviseTask,
): Promise<{ readonly report: RunReport; readonly root: string }> {
  const { world, at, runId, pid, env } = given
  const { folder, governance } = await openTask(world, at)
  const policy = runPolicy(governance.options, given.limits)
  reviewEmergency(folder, { isReviewed: given.isReviewed, at: world.clock.now() })
  using runDir = makeRunDir({ home: given.home, runId, pid, processes: world.processes })
  const { path: dir } = runDir
  const snapshots = await Snapshots.open({ root: folder.root, dir })
  if (snapshots === undefined)
    given.tell({
      kind: 'note',
      text: 'This is no git repository: changes are not seen, and nothing can be put back.',
    })
  using guard = new Guard({ runId, script: given.guardian, env })
  const report = await supervise(
    {
      runId,
      dir,
      folder,
      rituals: createRituals(world),
      tasks: createTasks(world),
      policy,
      guard,
      snapshots,
      clock: world.clock,
      processes: world.processes,
      random: given.random,
      sha256: hashOf,
      env,
      pid,
      isInterrupted: given.isInterrupted,
      tell: given.tell,
      follow: createLinker({
        root: folder.root,
        clock: world.clock,
        list: () => given.listSessions(folder.root),
        record: (events) => world.continuity.recordAll(events),
        onProblem: (text) => given.tell({ kind: 'note', text }),
      }),
    },
    given.input,
  )
  return { report, root: folder.root }
}
