import { getErrorMessage } from '../../kernel/errors.ts'
import type { EmergencyTrigger } from '../rituals.ts'
import type { CheckpointContent } from '../model/task-checkpoint.ts'
import type { TaskSession } from '../model/task-session.ts'
import { SUPERVISED_PREFIX } from '../files/task-events.ts'
import { STOP_FILE_TRIGGER } from '../files/stop-file.ts'
import { type SessionRun, TOKENS_EMERGENCY } from './run-session.ts'
import type { RunPorts } from './run-ports.ts'
import type { TreeChange } from './snapshots.ts'

export interface FinishSessionInput {
  readonly session: TaskSession
  readonly run: SessionRun
  readonly changes: readonly TreeChange[] | undefined
  readonly command: readonly string[]
  /** Used by earlier sessions. */
  readonly tokensBefore: number
}

const MAX_FILES = 500

function summarize({ run, command }: FinishSessionInput): string {
  const program = `${SUPERVISED_PREFIX}${command[0] ?? ''}`
  switch (run.verdict.is) {
    case 'ended-well':
      return `${program} succeeded.`
    case 'failed':
      return `${program} failed (${run.verdict.failure.kind}): ${run.verdict.failure.reason}`
    case 'stopped':
      return `${program} was stopped (${run.verdict.by}).`
  }
}

function createContent(finish: FinishSessionInput): CheckpointContent {
  const { changes, run } = finish
  return {
    summary: summarize(finish),
    ...(run.tests !== undefined && { tests: run.tests }),
    ...(changes !== undefined && {
      files: changes.slice(0, MAX_FILES).map(({ path, change }) => ({ path, action: change })),
    }),
  }
}

async function isActive({ tasks, folder }: RunPorts, sessionId: string): Promise<boolean> {
  const { sessions } = await tasks.show({ cwd: folder.root, slug: folder.slug })
  return sessions.some(({ session_id, state }) => session_id === sessionId && state === 'active')
}

/** Undefined for a normal end. */
function findEmergency(
  { limits }: Pick<RunPorts, 'limits'>,
  { run, tokensBefore }: FinishSessionInput,
): EmergencyTrigger | undefined {
  const by = run.verdict.is === 'stopped' ? run.verdict.by : undefined
  if (by === 'stop-file') return STOP_FILE_TRIGGER
  if (by !== 'tokens-exceeded') return undefined
  return {
    what: `token budget exceeded ${TOKENS_EMERGENCY}x`,
    metric: 'tokens',
    threshold: (limits.maxTokens ?? 0) * TOKENS_EMERGENCY,
    actual: tokensBefore + (run.tokens ?? 0),
  }
}

/** Ends the task session by how the agent ended. Reports failures instead of throwing. */
export async function finishSession(ports: RunPorts, finish: FinishSessionInput): Promise<void> {
  const { rituals, folder, report } = ports
  const { verdict } = finish.run
  const sessionId = finish.session.session_id
  const at = { cwd: folder.root, slug: folder.slug, sessionId }
  const content = createContent(finish)
  const trigger = findEmergency(ports, finish)
  try {
    // The agent may have ended its session itself.
    if (!(await isActive(ports, sessionId))) return
    if (trigger !== undefined) {
      await rituals.terminate({ ...at, reason: summarize(finish), trigger, content })
      return
    }
    const outcome = verdict.is === 'ended-well' ? 'success' : verdict.is === 'failed' ? 'failed' : 'partial'
    const onLine = (text: string) => report({ kind: 'line', text })
    await rituals.end({ ...at, outcome, content, onLine })
  } catch (thrown) {
    report({
      kind: 'note',
      text: `The session ${sessionId} was not ended by its shutdown steps: ${getErrorMessage(thrown)}`,
    })
    await suspendInstead(ports, at, content)
  }
}

async function suspendInstead(
  { rituals, report }: RunPorts,
  at: { readonly cwd: string; readonly slug: string; readonly sessionId: string },
  content: CheckpointContent,
): Promise<void> {
  try {
    await rituals.suspend({ ...at, reason: 'the shutdown steps failed', content })
  } catch (thrown) {
    report({
      kind: 'note',
      text: `It was not suspended either: ${getErrorMessage(thrown)}. The daemon will suspend it within minutes.`,
    })
  }
}
