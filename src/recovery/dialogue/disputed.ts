import type { DialogueMessage } from '../../kernel/checkpoint.ts'

/** Says, in one clause, that checks of a kind fail. */
export const SAYS_RED = {
  test: /\b(?:tests?|suite)\b[^.;]{0,40}\b(?:fails?|failing|is broken|are broken)\b/i,
  build: /\b(?:build|compilation)\b[^.;]{0,30}\b(?:fails?|failing|is broken)\b|\b(?:does|do)(?: not|n'?t) compile\b/i,
  lint: /\blint\w*\b[^.;]{0,30}\b(?:fails?|failing|errors)\b/i,
} as const

const MAX_CHARS = 400
const FAILS = /^[^.;]{0,20}\b(?:fails?|failing|is broken|(?:does|do)(?:n'?t| not) (?:pass|work))\b/i
/** What might be, or is to be written. */
const SUPPOSED = /\b(?:if|when|whether|in case|add|write|cover)\b/i

function saysCommandFails(text: string, command: string): boolean {
  const at = text.indexOf(command)
  return at >= 0 && FAILS.test(text.slice(at + command.length))
}

/** "test:ci is failing", said by the user after the run was green. */
export function isDisputed(
  { order, purpose, command }: { readonly order: number; readonly purpose: string; readonly command: string },
  dialogue: readonly DialogueMessage[] = [],
): boolean {
  const red = purpose === 'test' || purpose === 'build' || purpose === 'lint' ? SAYS_RED[purpose] : undefined
  return dialogue.some(
    ({ speaker, kind, text, order: said }) =>
      speaker === 'user' &&
      (kind === 'request' || kind === 'queued') &&
      said > order &&
      text.length <= MAX_CHARS &&
      !SUPPOSED.test(text) &&
      (red?.test(text) === true || saysCommandFails(text, command)),
  )
}
