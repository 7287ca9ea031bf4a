import { expect, test } from 'vitest'
import { isIntactRow } from './row-integrity.ts'

const told = {
  seq: 1,
  session_id: 'claude-code/s',
  at: '2026-01-02T03:04:05.000Z',
  kind: 'recovery',
  epoch: 1,
  chars: 10,
  text_hash: 'h',
  sources: '["ckpt-1"]',
  reasons: '[{"line":"a","origin":"files","reason":"edited","verdict":"holds","score":1}]',
}

const remembered = {
  row_id: 1,
  id: 'mem-1',
  project_id: 'p',
  type: 'failed_approach',
  content: 'Tried, failed',
  importance: 6,
  tags: '[]',
  source: 'observed',
  session_id: null,
  created_at: '2026-01-02T03:04:05.000Z',
  supersedes: null,
  superseded_by: null,
  hits: 0,
  last_hit_at: null,
  evidence: JSON.stringify({
    kind: 'retry-burst',
    keys: ['npm build'],
    command: 'npm run build',
    purpose: 'build',
    seqs: [1],
    failures: 3,
    traits: [],
    files: [],
    sessions: ['claude-code/s'],
    epoch: 1,
  }),
  anchors: null,
  scope: null,
  principal: null,
  machine: null,
  machine_name: null,
}

test('an undamaged row is intact', () => {
  expect([isIntactRow('injections', told), isIntactRow('memories', remembered)]).toEqual([true, true])
})

test.each<[string, object]>([
  ['a kind that there is not', { kind: 'recoverx' }],
  ['a time that is none', { at: 'yesterday' }],
  ['a verdict that there is not', { reasons: told.reasons.replace('holds', 'hplds') }],
  ['a score that is a text', { reasons: told.reasons.replace('1}', '"1"}') }],
])('%s makes a ledger row damaged', (_what, change) => {
  expect(isIntactRow('injections', { ...told, ...change })).toBe(false)
})

test.each<[string, object]>([
  ['a type that there is not', { type: 'decisiom' }],
  ['a time that is none', { created_at: '2026-91-02' }],
  ['a purpose that there is not', { evidence: remembered.evidence.replace('"build"', '"buile"') }],
])('%s makes a memory damaged', (_what, change) => {
  expect(isIntactRow('memories', { ...remembered, ...change })).toBe(false)
})
