import type { DialogueMessage } from '../../kernel/checkpoint.ts'

const MAX_CHARS = 400
const FAILS = /\b(?:fail(?:s|ed|ing|ures?)?|broken|breaks|red|(?:does|do)(?:n'?t| not) (?:pass|compile|build|work))\b/i
const NAMES = { test: /\btests?\b/i, build: /\b(?:builds?|compil\w+)\b/i, lint: /\blint\w*\b/i } as const

/** "test:ci is failing", said by the user after the run was green. */
export function isDisputed(
  { order, purpose, command }: { readonly order: number; readonly purpose: string; readonly command: string },
  dialogue: readonly DialogueMessage[] = [],
): boolean {
  const name = purpose === 'test' || purpose === 'build' || purpose === 'lint' ? NAMES[purpose] : undefined
  const isNamed = (text: string) => name?.test(text) === true || text.includes(command)
  return dialogue.some(
    ({ speaker, kind, text, order: said }) =>
      speaker === 'user' &&
      (kind === 'request' || kind === 'queued') &&
      said > order &&
      text.length <= MAX_CHARS &&
      isNamed(text) &&
      FAILS.test(text),
  )
}
