import type { HealthCheck } from '../model/rituals.ts'
import { runProgram } from '../../platform/process/run-program.ts'
import type { OpenTask } from '../files/open-task.ts'
import type { TaskWorld } from '../files/task-ports.ts'

const SHOWN_CHARS = 600

function lastWords(output: string): string {
  return output.trim().slice(-SHOWN_CHARS).toWellFormed().replace(/\s+/g, ' ')
}

/** Runs the project's smoke command. None configured is skipped, which is not passed. */
export async function checkHealth(world: TaskWorld, { place, governance, folder }: OpenTask): Promise<HealthCheck> {
  const { smokeCommand: command, smokeTimeoutMs, smokeSource } = governance
  if (command === undefined) return { verdict: 'skipped', detail: 'no smoke command is configured', durationMs: 0 }
  const startedMs = world.clock.monotonicMs()
  const run = await runProgram({ command, cwd: place.worktree, env: world.env, timeoutMs: smokeTimeoutMs })
  const durationMs = Math.round(world.clock.monotonicMs() - startedMs)
  const shown = `${command.join(' ')} (${smokeSource ?? 'configured'})`
  if (run.exitStatus === 0) return { verdict: 'pass', command, exitStatus: 0, detail: shown, durationMs }
  const how =
    run.exitStatus === undefined
      ? {
          timeout: `did not end within ${smokeTimeoutMs} ms`,
          signal: 'was killed',
          'not-started': 'could not be started',
        }[run.endedBy ?? 'signal']
      : `ended with ${run.exitStatus}`
  return {
    verdict: 'fail',
    command,
    ...(run.exitStatus !== undefined && { exitStatus: run.exitStatus }),
    detail: folder.redactor.redact(`${shown} ${how}: ${lastWords(run.output)}`),
    durationMs,
  }
}
