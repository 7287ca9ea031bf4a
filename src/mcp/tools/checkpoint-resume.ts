import * as z from 'zod'
import { SECTION_KEYS, SECTION_TITLES } from '../../core/named-checkpoint/named-checkpoint.ts'
import type { ResumedNamed } from '../../core/named-checkpoint/use-cases.ts'
import { fence } from '../../core/recovery/fence.ts'
import { project, projectRef, text } from '../arguments.ts'
import { defineTool } from '../tool.ts'

const BUDGET_CHARS = 8_000

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
      : `${warnings.length} of its points no longer hold: look at each "Stale" line before you rely on it.`,
    confirm === 'never'
      ? 'You may go on with the next action.'
      : 'Tell the user the task and the next action, and ask "Continue from this point? (yes/no)" before you act on it. A no keeps the checkpoint.',
  ]
}

export const checkpointResume = defineTool({
  name: 'checkpoint_resume',
  description: 'What a named checkpoint says, and what changed since. Ask the user before acting on it.',
  input: z.object({ ...project, name: text }),
  hints: { isReadOnly: true },
  async run({ name, ...where }, context) {
    const resumed = await context.door.resumeNamed({ ...projectRef(where, context), name })
    const { text: fenced } = fence({
      heading: `## Checkpoint saved ${resumed.savedAt}`,
      lines: linesOf(resumed),
      budgetChars: BUDGET_CHARS,
      sha256: context.sha256,
    })
    return [fenced, ...whatNow(resumed)].join('\n')
  },
})
