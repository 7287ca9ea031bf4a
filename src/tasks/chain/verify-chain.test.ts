import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildIndex, type ChainFile, findHeads, sortChain } from './checkpoint-index.ts'
import { aCheckpoint, fileOf } from '../../../test/support/task-chain.ts'
import { sha256 } from '../../../test/support/fake-ports.ts'
import { type ChainInput, isRepairable, verifyChain } from './verify-chain.ts'

function chain(length: number): readonly ChainFile[] {
  const files: ChainFile[] = []
  for (let n = 0; n < length; n += 1) files.push(aCheckpoint({ id: `ckpt-${n}`, after: files.slice(-1) }))
  return files
}

function input(files: readonly ChainFile[], more: Partial<ChainInput> = {}): ChainInput {
  return {
    slug: 'feat-x',
    files,
    unreadable: [],
    index: buildIndex('feat-x', files, sha256),
    sessions: new Set(['session-1']),
    sha256,
    ...more,
  }
}

const kinds = (given: ChainInput) => verifyChain(given).map(({ kind, subject }) => `${kind} ${subject}`)

test('a chain as written has no findings', () => {
  expect(verifyChain(input(chain(5)))).toEqual([])
  expect(verifyChain(input([]))).toEqual([])
})

test('a missing file is found, even the last one', () => {
  const files = chain(3)
  const index = buildIndex('feat-x', files, sha256)
  expect(kinds(input(files.slice(0, 2), { index }))).toEqual(['missing-file ckpt-2'])
  expect(kinds(input([...files.slice(0, 1), ...files.slice(2)], { index }))).toEqual(['missing-file ckpt-1'])
})

test('a changed byte is found by the index, or without an index by its successor', () => {
  const [first, second, third] = chain(3)
  if (first === undefined || second === undefined || third === undefined) throw new Error('no chain')
  const changed = fileOf({ ...second.checkpoint, summary: 'somebody else wrote this' })
  const index = buildIndex('feat-x', [first, second, third], sha256)
  expect(kinds(input([first, changed, third], { index }))).toEqual(['changed-file ckpt-1'])
  expect(kinds(input([first, changed, third], { index: 'missing' }))).toEqual([
    'index-unreadable checkpoint-index.json',
    'broken-chain ckpt-2',
  ])
})

test('an index rebuilt over a changed file does not hide the change', () => {
  const [first, second, third] = chain(3)
  if (first === undefined || second === undefined || third === undefined) throw new Error('no chain')
  const changed = fileOf({ ...second.checkpoint, summary: 'somebody else wrote this' })
  expect(kinds(input([first, changed, third]))).toEqual(['broken-chain ckpt-2'])
})

test('two diverged clones leave a fork, and joining them resolves it', () => {
  const trunk = chain(2)
  const ours = aCheckpoint({ id: 'ckpt-ours', after: trunk.slice(-1) })
  const theirs = aCheckpoint({ id: 'ckpt-theirs', after: trunk.slice(-1) })
  const merged = [...trunk, ours, theirs]
  const ourIndex = buildIndex('feat-x', [...trunk, ours], sha256)
  const found = verifyChain(input(merged, { index: ourIndex }))
  expect(found.map(({ kind }) => kind)).toEqual(['orphan', 'forked-chain'])
  expect(found.every(isRepairable)).toBe(true)
  expect(found.map(({ remedy }) => remedy).join(' ')).toContain('holdfast checkpoints verify --task feat-x --repair')
  const joined = [...merged, aCheckpoint({ id: 'ckpt-join', after: [ours, theirs] })]
  expect(verifyChain(input(joined))).toEqual([])
})

test('an index with merge conflicts has a remedy', () => {
  expect(verifyChain(input(chain(1), { index: { problem: 'The body is not JSON.' } }))).toEqual([
    {
      kind: 'index-unreadable',
      subject: 'checkpoint-index.json',
      message: 'The index cannot be read: The body is not JSON.',
      remedy:
        'The files hold the whole chain: rebuild the index from them with `holdfast checkpoints verify --task feat-x --repair`.',
    },
  ])
})

test('going back to a gate is a finding unless it has a reason', () => {
  const late = aCheckpoint({ id: 'ckpt-0', more: { gate: 'G5', type: 'gate_transition' } })
  const back = { id: 'ckpt-1', after: [late], more: { gate: 'G2', type: 'gate_transition' } } as const
  expect(kinds(input([late, aCheckpoint(back)]))).toEqual(['gate-regression ckpt-1'])
  const explained = aCheckpoint({ ...back, more: { ...back.more, override_reason: 'the plan was wrong' } })
  expect(kinds(input([late, explained]))).toEqual([])
})

test('a checkpoint whose session has no file is an orphan, and so is one whose parent is unknown', () => {
  const files = chain(1)
  expect(kinds(input(files, { sessions: new Set() }))).toEqual(['orphan ckpt-0'])
  const stray = aCheckpoint({
    id: 'ckpt-stray',
    more: { parent: { checkpoint_id: 'ckpt-nowhere', sha256: sha256('') } },
  })
  expect(kinds(input([stray]))).toEqual(['broken-chain ckpt-stray'])
})

test('an index that does not match the files is stale', () => {
  const files = chain(2)
  const index = buildIndex('feat-x', files, sha256)
  const bent = { ...index, checkpoints: index.checkpoints.map((entry) => ({ ...entry, summary: 'better' })) }
  expect(kinds(input(files, { index: bent }))).toEqual(['index-stale checkpoint-index.json'])
})

test('checkpoints in a cycle have no newest one', () => {
  const one = aCheckpoint({ id: 'ckpt-a', more: { parent: { checkpoint_id: 'ckpt-b', sha256: sha256('') } } })
  const other = aCheckpoint({ id: 'ckpt-b', after: [one] })
  expect(kinds(input([one, other]))).toContain('broken-chain ckpt-a')
})

/** Any history: each checkpoint follows one to three of those before it. */
const history = fc
  .array(fc.array(fc.nat({ max: 50 }), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 14 })
  .map((steps) => {
    const files: ChainFile[] = []
    steps.forEach((picks, n) => {
      const after = files.length === 0 ? [] : [...new Set(picks.map((pick) => files[pick % files.length]))]
      files.push(aCheckpoint({ id: `ckpt-${n}`, after: after.flatMap((file) => file ?? []) }))
    })
    return files
  })

test('the index has the same bytes for any file order, and parents come first', () => {
  fc.assert(
    fc.property(history, fc.infiniteStream(fc.nat()), (files, random) => {
      const shuffled = files
        .map((file) => ({ file, key: random.next().value ?? 0 }))
        .sort((a, b) => a.key - b.key)
        .map(({ file }) => file)
      expect(buildIndex('feat-x', shuffled, sha256)).toEqual(buildIndex('feat-x', files, sha256))
      const position = new Map(sortChain(shuffled).map(({ checkpoint }, at) => [checkpoint.checkpoint_id, at]))
      for (const { checkpoint } of files)
        for (const { checkpoint_id: id } of [
          ...(checkpoint.parent === null ? [] : [checkpoint.parent]),
          ...checkpoint.joins,
        ])
          expect(position.get(id)).toBeLessThan(position.get(checkpoint.checkpoint_id) ?? -1)
    }),
  )
})

test('any changed or removed file is found', () => {
  fc.assert(
    fc.property(history, fc.nat(), fc.boolean(), (files, pick, isGone) => {
      const joined =
        findHeads(files).length > 1 ? [...files, aCheckpoint({ id: 'ckpt-join', after: findHeads(files) })] : files
      expect(verifyChain(input(joined))).toEqual([])
      const at = pick % joined.length
      const index = buildIndex('feat-x', joined, sha256)
      const harmed = joined.flatMap((file, n) =>
        n !== at ? [file] : isGone ? [] : [fileOf({ ...file.checkpoint, summary: `${file.checkpoint.summary}!` })],
      )
      const named = verifyChain(input(harmed, { index })).map(({ kind, subject }) => `${kind} ${subject}`)
      expect(named).toContain(`${isGone ? 'missing-file' : 'changed-file'} ${joined[at]?.checkpoint.checkpoint_id}`)
    }),
  )
})
