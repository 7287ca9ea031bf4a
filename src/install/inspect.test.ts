import { expect, test } from 'vitest'
import { needsInit, type EditState } from './inspect.ts'
import type { EditKind } from './contract/settings-edit.ts'

const report = (kind: EditKind, state: EditState) => ({ id: kind, kind, path: '/x', state })

test.each([
  ['hooks', 'altered', true],
  ['mcp', 'altered', true],
  ['plugin', 'altered', true],
  ['skills', 'altered', false],
  ['snippet', 'altered', false],
  ['skills', 'outdated', true],
  ['hooks', 'missing', true],
  ['commands', 'not-installed', true],
  ['hooks', 'installed', false],
  ['mcp', 'left-out', false],
  ['mcp', 'not-ours', false],
  ['hooks', 'unreadable', false],
] as const)('%s that are %s are put right by another init: %s', (kind, state, isNeeded) => {
  expect(needsInit([report('hooks', 'installed'), report(kind, state)])).toBe(isNeeded)
})
