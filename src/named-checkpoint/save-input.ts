import { describeSave } from '../kernel/checkpoint.ts'
import type { Decision } from '../kernel/event.ts'
import type { NamedCheckpoint, CheckpointSection } from './format/file-format.ts'
import type { SaveNamedInput } from './use-cases.ts'
import type { Redactor } from '../kernel/ports/ports.ts'
import { redactDeep } from '../redaction/redact-deep.ts'
import { redactFields } from '../redaction/redact-fields.ts'

type CallerText = Pick<
  SaveNamedInput,
  'task' | 'progress' | 'nextAction' | 'waitingFor' | 'blockers' | 'decisions' | 'context'
>

/** Redacts before the text is split into the sections of the file. */
export function redactInput(input: CallerText, redactor: Redactor): CallerText {
  const { task, progress, nextAction, waitingFor, blockers, decisions, context } = input
  const given = { task, progress, nextAction, waitingFor, blockers, decisions, context }
  const entries = Object.entries(given).filter(([, value]) => value !== undefined)
  return redactDeep(Object.fromEntries(entries), redactor, { areNamesOurs: true })
}

/** The file is in the repository and may be committed, so it must not contain secrets. */
export function redactCheckpoint<T extends Pick<NamedCheckpoint, 'task' | 'sections'>>(
  checkpoint: T,
  redactor: Redactor,
): T {
  const { task, sections } = checkpoint
  // In file order.
  return redactFields(redactor, (clean) => ({
    ...checkpoint,
    task: clean(task),
    sections: {
      progress: clean(sections.progress),
      nextAction: clean(sections.nextAction),
      blockers: clean(sections.blockers),
      decisions: clean(sections.decisions),
      context: clean(sections.context),
    },
  }))
}

function bullets(lines: readonly string[]): string | undefined {
  const said = lines
    .flatMap((line) => line.split('\n'))
    .map((line) => line.trim())
    .filter((line) => line !== '')
  if (said.length === 0) return undefined
  return said.length === 1 ? said[0] : said.map((line) => (/^[-*+] /.test(line) ? line : `- ${line}`)).join('\n')
}

function describeDecision({ decision, rationale, alternatives = [] }: Decision): string {
  const because = rationale === undefined ? '' : `, because ${rationale}`
  return `${decision}${because}${alternatives.length === 0 ? '' : ` (instead of: ${alternatives.join(', ')})`}`
}

/** The caller's input as sections of the file. */
export function toSections(input: SaveNamedInput): {
  readonly task?: string
  readonly sections: Partial<Readonly<Record<CheckpointSection, string>>>
} {
  const [task, ...more] = (input.task ?? '').trim().split('\n')
  const progress = bullets([...more, ...(input.progress ?? [])])
  const blockers = bullets([
    ...(input.blockers ?? []),
    ...(input.waitingFor === undefined ? [] : [`Waiting for: ${input.waitingFor}`]),
  ])
  const decisions = bullets((input.decisions ?? []).map(describeDecision))
  const context = bullets(input.context ?? [])
  return {
    ...(task !== undefined && task !== '' && { task: task.trim() }),
    sections: {
      ...(progress !== undefined && { progress }),
      ...(input.nextAction !== undefined && { nextAction: input.nextAction.trim() }),
      ...(blockers !== undefined && { blockers }),
      ...(decisions !== undefined && { decisions }),
      ...(context !== undefined && { context }),
    },
  }
}

function hasText(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== ''
}

/** Several items become a bullet list; a single item stays unchanged. */
function joinItems(items: readonly string[] | undefined): string {
  const said = (items ?? []).filter(hasText)
  return said.length === 1
    ? (said[0] ?? '')
    : said.map((item) => (/^[-*+] /.test(item) ? item : `- ${item}`)).join('\n')
}

/** The note for the next session: only what the caller said. What Holdfast observed is in the checkpoint only. */
export function composeDigest(
  input: Pick<SaveNamedInput, 'task' | 'progress' | 'context' | 'nextAction'>,
  { name }: Pick<NamedCheckpoint, 'name'>,
): { readonly summary: string; readonly nextAction?: string } {
  const { task, nextAction } = input
  const parts = [hasText(task) ? task : '', joinItems(input.progress), joinItems(input.context)]
  const summary = parts.filter((text) => text !== '').join('\n')
  return {
    summary: summary === '' ? describeSave(name) : summary,
    ...(hasText(nextAction) && { nextAction }),
  }
}
