import { messageOf } from '../../kernel/errors.ts'
import type { EmergencyTrigger } from '../rituals.ts'
import type { CheckpointContent } from '../model/task-checkpoint.ts'
import type { TaskSession } from '../model/task-session.ts'
import { SUPERVISED } from '../files/task-events.ts'
import { STOP_FILE_TRIGGER } from '../files/stop-file.ts'
import { type SessionRun, TOKENS_EMERGENCY } from './run-session.ts'
import type { RunWorld } from './run-ports.ts'
import type { TreeChange } from './snapshots.ts'

export interface Finish {
  readonly session: TaskSession
  readonly run: SessionRun
  readonly changes: readonly TreeChange[] | undefined
  readonly command: readonly string[]
  /** Used by the sessions before. */
  readonly tokensBefore: number
}

const MAX_FILES = 500

function summaryOf({ run, command }: Finish): string {
  const program = `${SUPERVISED}${command[0] ?? ''}`
  switch (run.verdict.is) {
    case 'ended-well':
      return `${program} ended well.`
    case 'failed':
      return `${program} failed (${run.verdict.failure.kind}): ${run.verdict.failure.reason}`
    case 'stopped':
      return `${program} was stopped (${run.verdict.by}).`
  }
}

function contentOf(finish: Finish): CheckpointContent {
  const { changes, run } = finish
  return {
    summary: summaryOf(finish),
    ...(run.tests !== undefined && { tests: run.tests }),
    ...(changes !== undefined && {
      files: changes.slice(0, MAX_FILES).map(({ path, change }) => ({ path, action: change })),
    }),
  }
}

async function isActive({ tasks, folder }: RunWorld, sessionId: string): Promise<boolean> {
  const { sessions } = await tasks.show({ cwd: folder.root, slug: folder.slug })
  return sessions.some(({ session_id, state }) => session_id === sessionId && state === 'active')
}

/** Undefined for what ends in order. */
function emergencyOf(
  { policy }: Pick<RunWorld, 'policy'>,
  { run, tokensBefore }: Finish,
): EmergencyTrigger | undefined {
  const by = run.verdict.is === 'stopped' ? run.verdict.by : undefined
  if (by === 'stop-file') return STOP_FILE_TRIGGER
  if (by !== 'tokens-exceeded') return undefined
  return {
    what: `token budget exceeded ${TOKENS_EMERGENCY}x`,
    metric: 'tokens',
    threshold: (policy.maxTokens ?? 0) * TOKENS_EMERGENCY,
    actual: tokensBefore + (run.tokens ?? 0),
  }
}

/** Runs the ritual that belongs to how the session ended. Says what could not be done; the run goes on to its own end. */
export async function finishSession(world: RunWorld, finish: Finish): Promise<void> {
  const { rituals, folder, tell } = world
  const { verdict } = finish.run
  const sessionId = finish.session.session_id
  const at = { cwd: folder.root, slug: folder.slug, sessionId }
  const content = contentOf(finish)
  const trigger = emergencyOf(world, finish)
  try {
    // An agent that knows the rituals may have ended its session itself.
    if (!(await isActive(world, sessionId))) return
    if (trigger !== undefined) {
      await rituals.terminate({ ...at, reason: summaryOf(finish), trigger, content })
      return
    }
    const outcome = verdict.is === 'ended-well' ? 'success' : verdict.is === 'failed' ? 'failed' : 'partial'
    const onLine = (text: string) => tell({ kind: 'line', text })
    await rituals.end({ ...at, outcome, content, onLine })
  } catch (thrown) {
    tell({ kind: 'note', text: `The session ${sessionId} was not ended in order: ${messageOf(thrown)}` })
    await suspendInstead(world, at, content)
  }
}

async function suspendInstead(
  { rituals, tell }: RunWorld,
  at: { readonly cwd: string; readonly slug: string; readonly sessionId: string },
  content: CheckpointContent,
): Promise<void> {
  try {
    await rituals.suspend({ ...at, reason: 'the shutdown ritual failed', content })
  } catch (thrown) {
    tell({
      kind: 'note',
      text: `It was not suspended either: ${messageOf(thrown)}. The daemon finds it within minutes.`,
    })
  }
}
