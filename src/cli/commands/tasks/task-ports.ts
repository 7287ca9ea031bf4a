import { HoldfastError } from '../../../kernel/errors.ts'
import { SessionKey } from '../../../kernel/id.ts'
import type { StartInput } from '../../../tasks/rituals.ts'
import { readEnvironment } from '../../../harness/contract/environment.ts'
import { harnessEnvironments } from '../../../harness/environments.ts'
import { lastingAncestor } from '../../../platform/process/ancestor.ts'
import { systemClock } from '../../../platform/base/clock.ts'
import { createLog } from '../../../platform/log.ts'
import { createRituals } from '../../../tasks/sessions/create-rituals.ts'
import { createTasks } from '../../../tasks/use-cases/create-tasks.ts'
import { localTaskWorld } from '../../../tasks/use-cases/local-task-ports.ts'
import { probeOf } from '../../../tasks/context-safety/io/external-probe.ts'
import type { TaskWorld } from '../../../tasks/files/task-ports.ts'
import type { CliContext } from '../../shared/command.ts'
import { machineOf } from '../../shared/machine-of.ts'

export async function taskWorld(context: CliContext): Promise<TaskWorld> {
  const { config, home, env } = context
  const probe = probeOf(config.safety.probe, env)
  return localTaskWorld({
    clock: systemClock,
    log: createLog({ file: home.hookLog, level: config.log.level, clock: systemClock }),
    readsEnvFiles: config.redaction.envFiles,
    machine: machineOf(context),
    continuity: await context.continuity(),
    door: 'cli',
    env,
    behind: () => lastingAncestor(),
    ...(probe !== undefined && { probe }),
  })
}

/** Governed tasks, in this process: their files are here, and the event log is told over the socket. */
export async function tasksOf(context: CliContext) {
  return createTasks(await taskWorld(context))
}

export async function ritualsOf(context: CliContext) {
  return createRituals(await taskWorld(context))
}

/** The harness session that does the work: the one that was named, else the one whose environment this is, where we know it. */
export async function harnessSessionOf(
  context: CliContext,
  given: string | undefined,
): Promise<StartInput['harnessSession']> {
  const told = readEnvironment(harnessEnvironments, context.env)
  const key = given ?? told.sessionKey
  if (key === undefined) return undefined
  try {
    const continuity = await context.continuity()
    const session = await continuity.getSession(SessionKey(key), given === undefined ? told.harness : undefined)
    return { harness: session.harness, sessionKey: session.key }
  } catch (thrown) {
    // A harness whose hooks are not installed has sessions that we never saw. One that a person named has to be there.
    if (given === undefined && thrown instanceof HoldfastError && thrown.code === 'not-found') return undefined
    throw thrown
  }
}
