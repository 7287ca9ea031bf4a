import { expect, test } from 'vitest'
import { connectors } from './registry.ts'

const BEFORE_COMPACTION: Readonly<Record<string, string>> = {
  'claude-code': 'PreCompact',
  codex: 'PreCompact',
  'gemini-cli': 'PreCompress',
  opencode: 'experimental.session.compacting',
  openclaw: 'before_compaction',
  cursor: 'preCompact',
  generic: 'compaction-started',
}

test('who says that its summariser can be advised prints the advice, and nobody else does', () => {
  const declared = connectors.map(({ id, capabilities }) => [id, capabilities.compactionHint === true])
  const printed = connectors.map((connector) => {
    const hook = BEFORE_COMPACTION[connector.id] ?? 'none'
    const isPrinted = connector.canInject(hook, {}) && connector.writeInjection(hook, 'Keep this.') === 'Keep this.'
    return [connector.id, isPrinted]
  })
  expect(declared).toEqual(printed)
  expect(declared.filter(([, isAdvised]) => isAdvised).map(([id]) => id)).toEqual([
    'claude-code',
    'opencode',
    'generic',
  ])
})
