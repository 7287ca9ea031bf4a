import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canInject, MAX_CONTEXT_CHARS, writeInjection, writeRefusal, writeStop } from './index.ts'

test('context goes where Codex shows it, and nowhere else', () => {
  const hooks = ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PreCompact', 'PostCompact', 'Stop']
  expect(hooks.filter(canInject)).toEqual(['SessionStart', 'UserPromptSubmit', 'PreToolUse'])
  expect(hooks.filter((hook) => writeInjection(hook, 'x') !== undefined)).toEqual(hooks.filter(canInject))
})

test('Codex turns more than 2,500 tokens of four bytes into a preview: what would not arrive whole is not said', () => {
  expect(writeInjection('SessionStart', 'x'.repeat(MAX_CONTEXT_CHARS))).toBeDefined()
  expect(writeInjection('SessionStart', 'x'.repeat(MAX_CONTEXT_CHARS + 1))).toBeUndefined()
  expect(writeInjection('SessionStart', 'ж'.repeat(5_000))).toBeDefined()
  expect(writeInjection('SessionStart', 'ж'.repeat(5_001))).toBeUndefined()
  expect(writeInjection('SessionStart', '')).toBeUndefined()
})

test('property: output is valid JSON that gives the text back, lone surrogates repaired', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 120 }), (text) => {
      const output: unknown = JSON.parse(writeInjection('UserPromptSubmit', text) ?? '')
      const hookSpecificOutput = { hookEventName: 'UserPromptSubmit', additionalContext: text.toWellFormed() }
      expect(output).toEqual({ hookSpecificOutput })
    }),
    { numRuns: 40 },
  )
})

test('a tool is refused, and before one that is all a stop can be: continue:false would let it run', () => {
  const denied =
    '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"No."}}'
  expect(writeRefusal('PreToolUse', 'No.')).toBe(denied)
  expect(writeRefusal('PostToolUse', 'No.')).toBeUndefined()
  expect(writeStop('PreToolUse', 'No.')).toBe(denied)
  expect(writeStop('UserPromptSubmit', 'No.')).toBe('{"decision":"block","reason":"No."}')
  expect(writeStop('PostToolUse', 'No.')).toBe('{"continue":false,"stopReason":"No."}')
  expect(writeStop('SessionEnd', 'No.')).toBeUndefined()
})
