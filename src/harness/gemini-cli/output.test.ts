import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canInject, MAX_CONTEXT_CHARS, writeInjection } from './output.ts'

test('context goes where Gemini CLI shows it, and nowhere else', () => {
  const hooks = ['SessionStart', 'BeforeAgent', 'BeforeTool', 'AfterTool', 'AfterAgent', 'PreCompress', 'SessionEnd']
  expect(hooks.filter(canInject)).toEqual(['SessionStart', 'BeforeAgent', 'AfterTool'])
  expect(hooks.filter((hook) => writeInjection(hook, 'x') !== undefined)).toEqual(hooks.filter(canInject))
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
