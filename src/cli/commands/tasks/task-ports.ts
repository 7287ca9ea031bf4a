import { HoldfastError } from '../../../kernel/errors.ts'
import { SessionKey } from '../../../kernel/id.ts'
import type { StartInput } from '../../../tasks/rituals.ts'
import { readEnvironment } from '../../../harness/descriptor/environment.ts'
import { findLastingAncestor } from '../../../platform/process/ancestor.ts'
import { systemClock } from '../../../platform/base/clock.ts'
import { createLog } from '../../../platform/log.ts'
import { createRituals } from '../../../tasks/sessions/create-rituals.ts'
import { createTasks } from '../../../tasks/use-cases/create-tasks.ts'
import { createLocalTaskPorts } from '../../../tasks/use-cases/local-task-ports.ts'
import { createProbe } from '../../../tasks/context-safety/io/external-probe.ts'
import type { TaskPorts } from '../../../tasks/files/task-ports.ts'
import type { CliContext } from '../../shared/command.ts'
import { readLocalMachine } from '../../shared/machine-name.ts'

export async function createTaskPorts(context: CliContext): Promise<TaskPorts> {
  const { config, home, env } = context
  const probe = createProbe(config.safety.probe, env)
  return createLocalTaskPorts({
    clock: systemClock,
    log: createLog({ file: home.hookLog, level: config.log.level, clock: systemClock }),
    readsEnvFiles: config.redaction.envFiles,
    memoryUrl: config.tasks.memoryUrl,
    machine: readLocalMachine(context),
    continuity: await context.continuity(),
    entryPoint: 'cli',
    env,
    findOwnerProcess: () => findLastingAncestor(),
    ...(probe !== undefined && { probe }),
  })
}

/** Tasks run in this process, on the files of the project; events go to the daemon over the socket. */
export async function openTasks(context: CliContext) {
  return createTasks(await createTaskPorts(context))
}

export async function openRituals(context: CliContext) {
  return createRituals(await createTaskPorts(context))
}

/** The harness session that does the work: the given one, else the one in the harness's environment if it is known. */
export async function findHarnessSession(
  context: CliContext,
  given: string | undefined,
): Promise<StartInput['harnessSession']> {
  const environment = readEnvironment(context.env)
  const key = given ?? environment.sessionKey
  if (key === undefined) return undefined
  try {
    const continuity = await context.continuity()
    const session = await continuity.getSession(SessionKey(key), given === undefined ? environment.harness : undefined)
    return { harness: session.harness, sessionKey: session.key }
  } catch (thrown) {
    // Without hooks a session may be unknown. One given by the user must exist.
    if (given === undefined && thrown instanceof HoldfastError && thrown.code === 'not-found') return undefined
    throw thrown
  }
}
