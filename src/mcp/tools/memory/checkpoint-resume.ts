import * as z from 'zod'
import { SessionKey } from '../../../kernel/id.ts'
import { SECTION_KEYS, SECTION_TITLES } from '../../../named-checkpoint/format/named-checkpoint.ts'
import type { ResumedNamed } from '../../../named-checkpoint/use-cases.ts'
import { fence } from '../../../kernel/text/fence.ts'
import { count, directoryOf, optionalText, project, projectRef, session } from '../../tool/arguments.ts'
import { defineTool, type ToolContext } from '../../tool/tool.ts'

const NAMED_CHARS = 8_000
const REST_CHARS = 4_000
const CHARS_PER_TOKEN = 4
const MOST_TOKENS = 5_000

/** The next action first: it is what must not be cut. */
function linesOf({ name, task, sections, warnings, path, isOurs }: ResumedNamed): readonly string[] {
  const { nextAction, ...rest } = sections
  const section = (title: string, body: string) => (body === '' ? [] : [`${title}:`, ...body.split('\n')])
  return [
    `Name: ${name}`,
    `Task: ${task || 'not stated'}`,
    ...(nextAction.includes('\n')
      ? section('Next action', nextAction)
      : [`Next action: ${nextAction || 'not stated'}`]),
    ...warnings.map((warning) => `Stale: ${warning.text}`),
    ...SECTION_KEYS.flatMap((key) => (key === 'nextAction' ? [] : section(SECTION_TITLES[key], rest[key]))),
    ...(path === undefined ? ['The file is gone; this is what the store has.'] : [`File: ${path}`]),
    ...(isOurs ? [] : ['Edited by hand, or written elsewhere.']),
  ].filter((line) => line.trim() !== '')
}

function whatNow({ warnings, confirm }: ResumedNamed): readonly string[] {
  return [
    warnings.length === 0
      ? 'Files, branch and commit are as they were.'
      : `${warnings.length} of its points no longer ${warnings.length === 1 ? 'holds' : 'hold'}: look at each "Stale" line before you rely on it.`,
    confirm === 'never'
      ? 'You may go on with the next action.'
      : 'Tell the user the task and the next action, and ask "Continue from this point? (yes/no)" before you act on it. A no keeps the checkpoint.',
  ]
}

interface Asked {
  readonly project_name?: string | undefined
  readonly session_id?: string | undefined
  readonly budgetChars: number | undefined
}

function largerBudget(chars: number): string {
  return chars < MOST_TOKENS * CHARS_PER_TOKEN
    ? `ask again with a larger budget_tokens (at most ${MOST_TOKENS})`
    : '`holdfast checkpoint resume` shows more'
}

async function named(name: string, input: Asked, context: ToolContext): Promise<string> {
  const resumed = await context.door.resumeNamed({ ...projectRef(input, context), name })
  const lines = linesOf(resumed)
  const budgetChars = input.budgetChars ?? NAMED_CHARS
  const { text: fenced, lineCount } = fence({
    heading: `## Checkpoint saved ${resumed.savedAt}`,
    lines,
    budgetChars,
    sha256: context.sha256,
  })
  if (lineCount === lines.length) return [fenced, ...whatNow(resumed)].join('\n')
  const elsewhere = resumed.path === undefined ? '' : `, or read ${resumed.path}`
  const left = `${lines.length - lineCount} more lines did not fit: ${largerBudget(budgetChars)}${elsewhere}.`
  return fenced === '' ? left : [fenced, left, ...whatNow(resumed)].join('\n')
}

/** The layer below what a session was told at its start. */
async function rest(input: Asked, context: ToolContext): Promise<string> {
  const { caller, continuity } = context
  const restChars = input.budgetChars ?? REST_CHARS
  const { text, leftOut = 0 } = await continuity.previewRecovery({
    cwd: await directoryOf(input, context),
    ...(caller.sessionKey !== undefined && { sessionKey: SessionKey(caller.sessionKey) }),
    ...(caller.harness !== undefined && { harness: caller.harness }),
    ...(input.session_id !== undefined && { restOf: SessionKey(input.session_id) }),
    restChars,
  })
  const left = leftOut === 0 ? 'Nothing else was left out.' : `${leftOut} more did not fit: ${largerBudget(restChars)}.`
  return text === '' ? left : `${text}\n${left}`
}

export const checkpointResume = defineTool({
  name: 'checkpoint_resume',
  description:
    'With a name: what that checkpoint says, and what changed since; ask the user before acting on it. Without: what your recovery had no room for.',
  input: z.object({
    ...project,
    name: optionalText,
    session_id: session.session_id.describe("whose rest, as the recovery's last line says"),
    budget_tokens: count(MOST_TOKENS),
  }),
  aliases: { checkpoint: 'name' },
  hints: { isReadOnly: true },
  async run({ name, budget_tokens: tokens, ...where }, context) {
    const input = { ...where, budgetChars: tokens === undefined ? undefined : tokens * CHARS_PER_TOKEN }
    return name === undefined ? rest(input, context) : named(name, input, context)
  },
})
