import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../../kernel/errors.ts'
import { runCommand } from './process/run-command.ts'
import { stopReasonOf } from './run-session.ts'
import type { RunWorld } from './run-ports.ts'

export interface FixerInput {
  /** `G4-3`: the only thing it is to look at. */
  readonly position: string
  /** The failures so far, as a page. */
  readonly story: string
}

export interface FixerResult {
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
export async function runFixer(world: RunWorld, input: FixerInput): Promise<FixerResult> {
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
