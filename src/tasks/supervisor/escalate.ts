import { messageOf } from '../../kernel/errors.ts'
import { type EscalatedAttempt, renderEscalation } from '../retry/escalation.ts'
import { cloudEvent } from '../model/cloud-event.ts'
import { appendOutbox, updateStatus } from '../files/task-files.ts'
import { fileStamp, type RunWorld } from './run-ports.ts'
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from './process/run-command.ts'
import { stopReasonOf } from './run-session.ts'

interface FixerInput {
  /** `G4-3`: the only thing it is to look at. */
  readonly position: string
  /** The failures so far, as a page. */
  readonly story: string
}

interface FixerResult {
  /** What it printed; null when there was no fixer, or it said nothing. */
  readonly suggestion: string | null
  /** What was and was not ensured, in words for a person. */
  readonly note: string
}

const MAX_SUGGESTION_CHARS = 20_000

function describeEnding(how: string, minutes: number): string {
  if (how === 'time-limit') return ` It was ended after ${minutes} minutes.`
  return how === 'exited' ? '' : ` It ended early (${how}).`
}

/**
 * S2 §5.3: looks at one failing step and says what it would do. It works in a copy that is thrown away, so nothing it
 * writes there arrives in the project; that it does not reach out of the copy is not enforced, but seen and told.
 */
async function runFixer(world: RunWorld, input: FixerInput): Promise<FixerResult> {
  const { policy, snapshots, folder } = world
  const { fixer } = policy
  if (fixer === undefined) return { suggestion: null, note: 'No fixer is configured (`fixerCommand`).' }
  if (snapshots === undefined)
    return { suggestion: null, note: 'The fixer needs a git repository to work on a copy of.' }
  const dir = join(world.dir, 'fixer')
  const copy = join(dir, 'project')
  try {
    const before = await snapshots.take()
    await snapshots.copyTo(before, copy)
    cpSync(join(folder.root, 'tasks', folder.slug), join(copy, 'tasks', folder.slug), { recursive: true })
    const failureFile = join(dir, 'failure.md')
    writeFileSync(failureFile, folder.redactor.redact(input.story), { mode: 0o600 })
    world.tell({
      kind: 'note',
      text: `The fixer looks at ${input.position}, in a copy, for at most ${fixer.maxMs / 60_000} minutes.`,
    })
    const ran = await runCommand({
      argv: fixer.argv.map((word) => word.replaceAll('{{failure-file}}', () => failureFile)),
      cwd: copy,
      env: {
        ...world.env,
        PWD: copy,
        OLDPWD: undefined,
        HOLDFAST_TASK: folder.slug,
        HOLDFAST_STEP: input.position,
        HOLDFAST_FAILURE_FILE: failureFile,
      },
      runId: world.runId,
      guard: world.guard,
      clock: world.clock,
      limits: { maxMs: fixer.maxMs, silenceMs: fixer.maxMs, graceMs: policy.graceMs },
      stopReason: () => stopReasonOf(world),
    })
    const hasReachedOut = (await snapshots.take()) !== before
    const text = folder.redactor.redact(ran.output).trim().slice(-MAX_SUGGESTION_CHARS)
    const note = [
      `\`${fixer.argv.join(' ')}\` ran on a copy that was thrown away.${describeEnding(ran.ending.how, fixer.maxMs / 60_000)}`,
      hasReachedOut
        ? '**Files of the project changed while it ran, though it was to read only: look at `git status` first.**'
        : 'The project is as it was.',
    ].join(' ')
    return { suggestion: text === '' ? null : text, note: text === '' ? `${note} It said nothing.` : note }
  } catch (thrown) {
    return { suggestion: null, note: `The fixer could not be run: ${messageOf(thrown)}` }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

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
