import * as z from 'zod'
import { SessionKey } from '../../kernel/id.ts'
import { SECTION_KEYS, SECTION_TITLES } from '../../named-checkpoint/format/file-format.ts'
import type { ResumedNamed } from '../../named-checkpoint/use-cases.ts'
import { fence } from '../../kernel/text/fence.ts'
import {
  count,
  resolveDirectory,
  optionalText,
  project,
  toProjectRef,
  session,
  text,
  decisionList,
  flag,
  lineList,
} from '../tool/arguments.ts'
import { defineTool, type ToolContext } from '../tool/tool.ts'
import { describeFinding } from '../../named-checkpoint/format/lint.ts'
import { renderRefutedClaims } from '../tool/tool.ts'

export const checkpointSave = defineTool({
  name: 'checkpoint_save',
  description:
    'Saves memory/checkpoints/<name>.md, until it is deleted. kebab-case name; real paths and a next action that can be run.',
  input: z.object({
    name: text,
    task: optionalText.describe('one line'),
    progress: lineList,
    next_action: optionalText,
    waiting_for: optionalText,
    decisions: decisionList,
    blockers: lineList,
    context: lineList,
    replace: flag.describe('also a file edited by hand'),
    ...project,
    ...session,
  }),
  aliases: {
    checkpoint: 'name',
    checkpoint_name: 'name',
    summary: 'task',
    title: 'task',
    done: 'progress',
    next: 'next_action',
    next_step: 'next_action',
    nextAction: 'next_action',
    waitingFor: 'waiting_for',
    decision: 'decisions',
    key_decisions: 'decisions',
    blocker: 'blockers',
    files: 'context',
    notes: 'context',
    relevant_context: 'context',
  },
  async run(input, context) {
    const { caller } = context
    const { task, progress, next_action: nextAction, waiting_for: waitingFor, decisions, blockers } = input
    const sessionKey = input.session_id ?? caller.sessionKey
    const isOwn = sessionKey !== undefined && sessionKey === caller.sessionKey
    const saved = await context.agentApi.saveNamed({
      ...toProjectRef(input, context),
      name: input.name,
      door: 'mcp',
      ...(task !== undefined && { task }),
      ...(progress !== undefined && { progress }),
      ...(nextAction !== undefined && { nextAction }),
      ...(waitingFor !== undefined && { waitingFor }),
      ...(decisions !== undefined && { decisions }),
      ...(blockers !== undefined && { blockers }),
      ...(input.context !== undefined && { context: input.context }),
      ...(input.replace !== undefined && { canReplace: input.replace }),
      ...(sessionKey !== undefined && { sessionKey }),
      ...(isOwn && caller.harness !== undefined && { harness: caller.harness }),
    })
    return {
      ok: true,
      name: saved.name,
      path: saved.path,
      session_id: saved.sessionKey,
      checkpoint_id: saved.checkpointId ?? null,
      saved_at: saved.savedAt,
      replaced: saved.isReplaced,
      score: saved.lint.score,
      lacks: saved.lint.findings.map(describeFinding),
      doubts: renderRefutedClaims(saved),
      ...(saved.checkpointId === undefined && {
        note: 'Only the file is saved: checkpoints are switched off here, or the store could not take it.',
      }),
      ...(saved.isSessionMadeUp && { tip: `Pass session_id "${saved.sessionKey}" from now on.` }),
    }
  },
})

export const checkpointDelete = defineTool({
  name: 'checkpoint_delete',
  description: 'Deletes a named checkpoint for good: only when the task is done and the user agrees.',
  input: z.object({ ...project, name: text }),
  hints: { isDestructive: true },
  async run({ name, ...where }, context) {
    const deleted = await context.agentApi.deleteNamed({ ...toProjectRef(where, context), name })
    return { ok: true, name: deleted.name, path: deleted.path ?? null, stored: deleted.stored }
  },
})

const DEFAULT_CHECKPOINTS = 20

export const checkpointList = defineTool({
  name: 'checkpoint_list',
  description: 'Named checkpoints of the project, newest first.',
  input: z.object({ ...project, limit: count(200) }),
  hints: { isReadOnly: true },
  async run(input, context) {
    const named = await context.agentApi.listNamed(toProjectRef(input, context))
    return {
      count: named.length,
      checkpoints: named.slice(0, input.limit ?? DEFAULT_CHECKPOINTS).map((listing) => ({
        name: listing.name,
        path: listing.path ?? null,
        saved_at: listing.savedAt,
        task: listing.task,
        next_action: listing.nextAction || null,
        branch: listing.branch ?? null,
        edited: !listing.isOurs,
        score: listing.score,
      })),
    }
  },
})

const NAMED_CHARS = 8_000
const OVERFLOW_CHARS = 4_000
const CHARS_PER_TOKEN = 4
const MAX_TOKENS = 5_000

/** The next action comes first, so that it is never cut. */
function renderLines({ name, task, sections, warnings, path, isOurs }: ResumedNamed): readonly string[] {
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

function renderNextSteps({ warnings, confirm }: ResumedNamed): readonly string[] {
  return [
    warnings.length === 0
      ? 'Files, branch and commit are as they were.'
      : `${warnings.length} of its points no longer ${warnings.length === 1 ? 'holds' : 'hold'}: look at each "Stale" line before you rely on it.`,
    confirm === 'never'
      ? 'You may go on with the next action.'
      : 'Tell the user the task and the next action, and ask "Continue from this point? (yes/no)" before you act on it. A no keeps the checkpoint.',
  ]
}

interface ResumeInput {
  readonly project_name?: string | undefined
  readonly session_id?: string | undefined
  readonly budgetChars: number | undefined
}

function renderBudgetHint(chars: number): string {
  return chars < MAX_TOKENS * CHARS_PER_TOKEN
    ? `ask again with a larger budget_tokens (at most ${MAX_TOKENS})`
    : '`holdfast checkpoint resume` shows more'
}

async function resumeNamed(name: string, input: ResumeInput, context: ToolContext): Promise<string> {
  const resumed = await context.agentApi.resumeNamed({ ...toProjectRef(input, context), name })
  const lines = renderLines(resumed)
  const budgetChars = input.budgetChars ?? NAMED_CHARS
  const { text: fenced, lineCount } = fence({
    heading: `## Checkpoint saved ${resumed.savedAt}`,
    lines,
    budgetChars,
    sha256: context.sha256,
  })
  if (lineCount === lines.length) return [fenced, ...renderNextSteps(resumed)].join('\n')
  const elsewhere = resumed.path === undefined ? '' : `, or read ${resumed.path}`
  const left = `${lines.length - lineCount} more lines did not fit: ${renderBudgetHint(budgetChars)}${elsewhere}.`
  return fenced === '' ? left : [fenced, left, ...renderNextSteps(resumed)].join('\n')
}

/** What did not fit into the recovery at the start of the session. */
async function resumeOverflow(input: ResumeInput, context: ToolContext): Promise<string> {
  const { caller, continuity } = context
  const restChars = input.budgetChars ?? OVERFLOW_CHARS
  const { text, leftOut = 0 } = await continuity.previewRecovery({
    cwd: await resolveDirectory(input, context),
    ...(caller.sessionKey !== undefined && { sessionKey: SessionKey(caller.sessionKey) }),
    ...(caller.harness !== undefined && { harness: caller.harness }),
    ...(input.session_id !== undefined && { restOf: SessionKey(input.session_id) }),
    restChars,
  })
  const left =
    leftOut === 0 ? 'Nothing else was left out.' : `${leftOut} more did not fit: ${renderBudgetHint(restChars)}.`
  return text === '' ? left : `${text}\n${left}`
}

export const checkpointResume = defineTool({
  name: 'checkpoint_resume',
  description:
    'With a name: what that checkpoint says, and what changed since; ask the user before acting on it. Without: what your recovery had no room for.',
  input: z.object({
    ...project,
    name: optionalText,
    session_id: session.session_id.describe("session as named in the recovery's last line"),
    budget_tokens: count(MAX_TOKENS),
  }),
  aliases: { checkpoint: 'name' },
  hints: { isReadOnly: true },
  async run({ name, budget_tokens: tokens, ...where }, context) {
    const input = { ...where, budgetChars: tokens === undefined ? undefined : tokens * CHARS_PER_TOKEN }
    return name === undefined ? resumeOverflow(input, context) : resumeNamed(name, input, context)
  },
})
