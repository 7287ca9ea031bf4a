import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canInject, MAX_CONTEXT_CHARS, writeInjection, writeStop } from './index.ts'

test('context goes out as the JSON that Claude Code reads', () => {
  expect(writeInjection('SessionStart', 'hello')).toBe(
    '{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"hello"}}',
  )
  expect(writeInjection('UserPromptSubmit', 'hello')).toBe(
    '{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"hello"}}',
  )
})

test('advice for the summarizer goes out as plain text', () => {
  expect(writeInjection('PreCompact', 'keep the plan')).toBe('keep the plan')
})

test.each(['Stop', 'SubagentStop', 'PostToolUse', 'PostCompact', 'SessionEnd', 'HoldfastProbe'])(
  '%s carries nothing: what a hook prints there would continue the turn or be shown as an error',
  (hook) => {
    expect(canInject(hook)).toBe(false)
    expect(writeInjection(hook, 'hello')).toBeUndefined()
  },
)

test('a text that would not arrive whole is not sent at all', () => {
  expect(writeInjection('SessionStart', 'x'.repeat(MAX_CONTEXT_CHARS))).toBeDefined()
  expect(writeInjection('SessionStart', 'x'.repeat(MAX_CONTEXT_CHARS + 1))).toBeUndefined()
  expect(writeInjection('SessionStart', '')).toBeUndefined()
})

test('property: output is valid JSON that gives the text back, lone surrogates repaired', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1 }), (text) => {
      const output = writeInjection('SessionStart', text) ?? ''
      expect(JSON.parse(output)).toEqual({
        hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: text.toWellFormed() },
      })
      expect(output.isWellFormed()).toBe(true)
    }),
  )
})

test('a stop refuses prompts and tools, ends the turn after a tool, and says nothing where it would be misread', () => {
  expect(JSON.parse(writeStop('UserPromptSubmit', 'why') ?? '')).toEqual({ decision: 'block', reason: 'why' })
  expect(JSON.parse(writeStop('PreToolUse', 'why') ?? '')).toEqual({
    continue: false,
    stopReason: 'why',
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: 'why' },
  })
  expect(JSON.parse(writeStop('PostToolUse', 'why') ?? '')).toEqual({ continue: false, stopReason: 'why' })
  for (const hook of ['SessionStart', 'PreCompact', 'PostCompact', 'Stop', 'SessionEnd'])
    expect(writeStop(hook, 'why')).toBeUndefined()
})

test("the user's line is beside the injected text", () => {
  expect(writeInjection('SessionStart', 'hello', 'This session loops.')).toBe(
    '{"systemMessage":"Holdfast: This session loops.","hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"hello"}}',
  )
})
