import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canInject, MAX_CONTEXT_CHARS, writeInjection, writeRefusal, writeStop } from './index.ts'

test('context goes where Gemini CLI shows it, and nowhere else', () => {
  const hooks = ['SessionStart', 'BeforeAgent', 'BeforeTool', 'AfterTool', 'AfterAgent', 'PreCompress', 'SessionEnd']
  const shown = ['SessionStart', 'BeforeAgent', 'AfterTool']
  expect(hooks.filter((hook) => writeInjection(hook, 'x') !== undefined)).toEqual(shown)
  // A refusal says something too.
  expect(hooks.filter(canInject)).toEqual(['SessionStart', 'BeforeAgent', 'BeforeTool', 'AfterTool'])
  expect(writeInjection('SessionStart', 'x'.repeat(MAX_CONTEXT_CHARS + 1))).toBeUndefined()
  expect(writeInjection('SessionStart', '')).toBeUndefined()
})

test('property: stdout must be pure JSON, and is, whatever the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 120 }), (text) => {
      const output: unknown = JSON.parse(writeInjection('BeforeAgent', text) ?? '')
      const hookSpecificOutput = { hookEventName: 'BeforeAgent', additionalContext: text.toWellFormed() }
      expect(output).toEqual({ hookSpecificOutput })
    }),
    { numRuns: 40 },
  )
})

test('a tool is refused with its reason for the agent; a stop ends the loop, and refuses a prompt by itself', () => {
  expect(writeRefusal('BeforeTool', 'No.')).toBe('{"decision":"deny","reason":"No."}')
  expect(writeRefusal('AfterTool', 'No.')).toBeUndefined()
  expect(writeStop('BeforeTool', 'No.')).toBe('{"continue":false,"stopReason":"No.","decision":"deny","reason":"No."}')
  expect(writeStop('AfterTool', 'No.')).toBe('{"continue":false,"stopReason":"No."}')
  expect(writeStop('BeforeAgent', 'No.')).toBe('{"decision":"deny","reason":"No."}')
  expect(writeStop('SessionEnd', 'No.')).toBeUndefined()
  expect(writeInjection('BeforeTool', 'A word.')).toBeUndefined()
})
