import { messageOf } from '../../kernel/errors.ts'
import { type EscalatedAttempt, renderEscalation } from '../retry/escalation.ts'
import { cloudEvent } from '../model/cloud-event.ts'
import { appendOutbox, updateStatus } from '../files/task-files.ts'
import { runFixer } from './fixer.ts'
import { fileStamp, type RunWorld } from './run-ports.ts'

export interface EscalationInput {
  readonly why: string
  readonly position: string
  readonly command: readonly string[]
  readonly attempts: readonly EscalatedAttempt[]
  readonly resumeFrom: string | null
  readonly sessionId: string | null
  readonly isFixerDue: boolean
  /** The task is blocked already, and by something that ends by itself. */
  readonly isBlocked?: boolean | undefined
}

function stepsFor({ folder }: RunWorld, file: string, isBlocked: boolean): readonly string[] {
  const { slug } = folder
  const again = `\`holdfast run --task ${slug} -- …\` again. This page stays as ${file}.`
  return [
    `Read what happened below; \`holdfast sessions timeline --task ${slug}\` has the whole story.`,
    'Repair what is in the way, or change the plan.',
    isBlocked ? `Run ${again}` : `Run \`holdfast task block ${slug} --clear\`, then ${again}`,
  ]
}

/** Hands the task to a person: a page with everything, the task blocked, an incident, an event. Gives the page's path. */
export async function escalate(world: RunWorld, input: EscalationInput): Promise<string> {
  const { folder, rituals, tasks, clock } = world
  const at = clock.now()
  const name = `work/escalations/${fileStamp(at)}.md`
  const file = folder.pathOf(name)
  const page = (fixer: Parameters<typeof renderEscalation>[0]['fixer']) =>
    renderEscalation({
      slug: folder.slug,
      at,
      position: input.position,
      why: input.why,
      command: input.command,
      attempts: input.attempts,
      resumeFrom: input.resumeFrom,
      fixer,
      steps: stepsFor(world, file, input.isBlocked === true),
    })
  const notDue = { suggestion: null, note: 'It runs after three failures at one step; there were fewer.' }
  // Before the fixer, which takes its time: whatever happens to us, the page is there.
  folder.writeText(name, page({ suggestion: null, note: 'It has not answered yet.' }))
  const fixer = input.isFixerDue
    ? await runFixer(world, { position: input.position, story: page({ suggestion: null, note: 'You are asked.' }) })
    : notDue
  folder.writeText(name, page(fixer))

  const where = { cwd: folder.root, slug: folder.slug }
  const told = `Escalated at ${input.position}: ${input.why} See ${file}.`
  const steps: readonly [string, () => Promise<unknown>][] = [
    [
      'the incident',
      () =>
        rituals.incident(where, {
          kind: 'escalated',
          session_id: input.sessionId,
          checkpoint_id: input.resumeFrom,
          detail: told,
        }),
    ],
    ['the block', async () => input.isBlocked !== true && tasks.block({ ...where, reason: told })],
    [
      'the count of attempts',
      // A person takes over: the next run begins to count anew.
      () => updateStatus(folder, (status) => ({ ...status, attempts: { ...status.attempts, [input.position]: 0 } })),
    ],
    [
      'the event',
      () =>
        appendOutbox(
          folder,
          cloudEvent({
            id: `${world.runId}-escalated-${fileStamp(at)}`,
            type: 'agent.escalated',
            slug: folder.slug,
            subject: input.sessionId ?? folder.slug,
            time: at,
            data: { run_id: world.runId, position: input.position, why: input.why, page: file },
          }),
        ),
    ],
  ]
  for (const [what, run] of steps) {
    try {
      await run()
    } catch (thrown) {
      // The page is written, and the others are worth having without this one.
      world.tell({ kind: 'note', text: `Escalating, ${what} failed: ${messageOf(thrown)}` })
    }
  }
  return file
}
