import type { Decision } from '../event.ts'
import type { SectionKey } from './named-checkpoint.ts'
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
