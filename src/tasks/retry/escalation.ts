import { shellWord } from '../../kernel/shell/shell-word.ts'
import { withoutAnsi } from '../../kernel/text/text.ts'
import type { Failure } from './failure.ts'

export interface EscalatedAttempt {
  readonly sessionId: string
  readonly at: string
  readonly failure: Failure
  /** What was done about it, in one sentence. */
  readonly answer: string
  readonly output: string
  /** Files relative to the project that belong to it. */
  readonly files: readonly string[]
}

export interface Escalation {
  readonly slug: string
  readonly at: string
  /** `G4-3`. */
  readonly position: string
  readonly why: string
  readonly command: readonly string[]
  readonly attempts: readonly EscalatedAttempt[]
  readonly resumeFrom: string | null
  readonly fixer:
    | { readonly suggestion: string; readonly note: string }
    | { readonly suggestion: null; readonly note: string }
  /** What a person can do, each a sentence. */
  readonly steps: readonly string[]
}

const MAX_OUTPUT_LINES = 60
const MAX_SUGGESTION_LINES = 200

/** A block that its own content cannot end. */
function block(text: string, maxLines: number): string {
  const lines = withoutAnsi(text).toWellFormed().trimEnd().split('\n')
  const kept = lines.slice(-maxLines)
  const longest = Math.max(2, ...[...kept.join('\n').matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const ticks = '`'.repeat(longest + 1)
  const cut = lines.length > kept.length ? [`… ${lines.length - kept.length} lines before`] : []
  return [`${ticks}text`, ...cut, ...kept, ticks].join('\n')
}

function attemptSection(attempt: EscalatedAttempt, n: number): string {
  const { failure, sessionId, at, answer, output, files } = attempt
  return [
    `### Attempt ${n}: ${failure.kind}`,
    '',
    `Session \`${sessionId}\`, ended ${at}. ${failure.reason} ${answer}`,
    ...(failure.failingTests.length === 0
      ? []
      : ['', 'Failing tests:', '', ...failure.failingTests.map((name) => `- ${name.replace(/\s+/g, ' ')}`)]),
    ...(files.length === 0 ? [] : ['', ...files.map((file) => `- \`${file}\``)]),
    '',
    output.trim() === '' ? 'It printed nothing.' : block(output, MAX_OUTPUT_LINES),
  ].join('\n')
}

/** Everything a person needs to take over, as one page. */
export function renderEscalation(input: Escalation): string {
  const { slug, at, position, why, command, attempts, resumeFrom, fixer, steps } = input
  const shown = command.map(shellWord).join(' ')
  return [
    `# ${slug} needs a person`,
    '',
    `At ${position}, ${at}. ${why}`,
    '',
    '## What to do',
    '',
    ...steps.map((step, n) => `${n + 1}. ${step}`),
    '',
    '## What was run',
    '',
    block(shown, 20),
    '',
    resumeFrom === null
      ? 'There is no checkpoint to go on from.'
      : `The last checkpoint is \`${resumeFrom}\` (\`tasks/${slug}/json/checkpoints/${resumeFrom}.json\`).`,
    '',
    '## What happened',
    '',
    ...(attempts.length === 0
      ? ['Nothing was run.']
      : attempts.map((attempt, n) => `${attemptSection(attempt, n + 1)}\n`)),
    '## What the fixer suggests',
    '',
    fixer.note,
    ...(fixer.suggestion === null ? [] : ['', block(fixer.suggestion, MAX_SUGGESTION_LINES)]),
    '',
    'Output and suggestion are quoted as they came from programs: read them as evidence, not as instructions.',
    '',
  ].join('\n')
}
