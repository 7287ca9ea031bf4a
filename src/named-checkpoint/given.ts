import type { Decision } from '../kernel/event.ts'
import type { NamedCheckpoint, SectionKey } from './format/named-checkpoint.ts'
import type { SaveNamedInput } from './use-cases.ts'

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

/** The lines of a section, without their bullets. */
export function linesOf(section: string): readonly string[] {
  return section
    .split('\n')
    .map((line) => line.replace(/^\s*[-*+]\s+/, '').trim())
    .filter((line) => line !== '' && !/^(?:none|n\/a|nothing)\.?$/i.test(line))
}

/** What the caller said, as the sections of the file. */
export function givenSections(input: SaveNamedInput): {
  readonly task?: string
  readonly sections: Partial<Readonly<Record<SectionKey, string>>>
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

function isSaid(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== ''
}

/** Several things stand one below the other, each behind a bullet; the lines of one stay as they are. */
function asGiven(items: readonly string[] | undefined, section: string): string {
  const said = (items ?? []).filter(isSaid)
  if (said.length === 0) return section
  return said.length === 1
    ? (said[0] ?? '')
    : said.map((item) => (/^[-*+] /.test(item) ? item : `- ${item}`)).join('\n')
}

/** What the next session is told, byte for byte as the caller said it; where they said nothing, as the file has it. */
export function givenNote(
  input: Pick<SaveNamedInput, 'task' | 'progress' | 'context' | 'nextAction'>,
  saved: Pick<NamedCheckpoint, 'name' | 'task' | 'sections'>,
): { readonly summary: string; readonly nextAction: string } {
  const { progress, context, nextAction } = saved.sections
  const parts = [
    isSaid(input.task) ? input.task : saved.task || saved.name,
    asGiven(input.progress, progress),
    asGiven(input.context, context),
  ]
  return {
    summary: parts.filter((text) => text !== '').join('\n'),
    nextAction: isSaid(input.nextAction) ? input.nextAction : nextAction,
  }
}
