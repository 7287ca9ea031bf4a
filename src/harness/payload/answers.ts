import { PLAN_QUESTION, type QuestionAnswer } from '../../kernel/event.ts'
import { asList, asObject, asText, isObject } from '../../kernel/json-shape.ts'
import { BOUNDS, bounded, boundedPrompt } from './bounds.ts'

const MAX_QUESTIONS = 8

/** The answer where a harness gives a text, a list of chosen options, or an object with either. */
function readAnswer(given: unknown): string | undefined {
  const value = isObject(given) ? (given.answers ?? given.answer ?? given.value) : given
  if (!Array.isArray(value)) return asText(value)
  const texts = value.filter((part) => typeof part === 'string')
  return texts.length === 0 ? undefined : texts.map((part) => part.replace(/^user_note: /, '')).join(', ')
}

/**
 * The questions of a tool for asking the user, as in its arguments, and what they answered: by the question's id, text or
 * position. A question without an answer is left out.
 */
export function readAnswers(asked: unknown, given: unknown): readonly QuestionAnswer[] {
  const answers = Array.isArray(given) ? asObject(Object.fromEntries(given.entries())) : asObject(given)
  return asList(asked)
    .slice(0, MAX_QUESTIONS)
    .flatMap((entry, index): readonly QuestionAnswer[] => {
      const { id, question: text, options, choices } = asObject(entry)
      const question = bounded(text, BOUNDS.message)
      if (question === undefined) return []
      const answer = boundedPrompt(
        readAnswer(answers[asText(id) ?? ''] ?? answers[asText(text) ?? ''] ?? answers[String(index)])?.trim(),
      )
      const offered = asList(options ?? choices)
        .slice(0, MAX_QUESTIONS)
        .flatMap((option) => bounded(asObject(option).label ?? asObject(option).value ?? option, BOUNDS.line) ?? [])
      return answer === undefined ? [] : [{ question, options: offered, answer }]
    })
}

const PLAN_OPTIONS = ['approve', 'stay in plan mode'] as const

/** The answer to a plan that an agent presented. */
export function approvePlan(answer = 'approved'): readonly QuestionAnswer[] {
  return [{ question: PLAN_QUESTION, options: PLAN_OPTIONS, answer }]
}
