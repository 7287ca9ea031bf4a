import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildIndex, type ChainFile, headsOf, inChainOrder } from './checkpoint-index.ts'
import { aCheckpoint, fileOf } from '../../../test/support/task-chain.ts'
import { sha256 } from '../../../test/support/world.ts'
import { type ChainInput, isMendable, verifyChain } from './verify-chain.ts'

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

test('a chain as it was written is sound', () => {
  expect(verifyChain(input(chain(5)))).toEqual([])
  expect(verifyChain(input([]))).toEqual([])
})

test('a missing file is found, also the last one, which nobody follows', () => {
  const files = chain(3)
  const index = buildIndex('feat-x', files, sha256)
  expect(kinds(input(files.slice(0, 2), { index }))).toEqual(['missing-file ckpt-2'])
  expect(kinds(input([...files.slice(0, 1), ...files.slice(2)], { index }))).toEqual(['missing-file ckpt-1'])
})

test('a changed byte is found by the index, and without an index by the one that follows', () => {
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

test('an index that was made again over a changed file does not hide the change', () => {
  const [first, second, third] = chain(3)
  if (first === undefined || second === undefined || third === undefined) throw new Error('no chain')
  const changed = fileOf({ ...second.checkpoint, summary: 'somebody else wrote this' })
  expect(kinds(input([first, changed, third]))).toEqual(['broken-chain ckpt-2'])
})

test('two clones that went on by themselves leave a fork, and joining them makes it sound', () => {
  const trunk = chain(2)
  const ours = aCheckpoint({ id: 'ckpt-ours', after: trunk.slice(-1) })
  const theirs = aCheckpoint({ id: 'ckpt-theirs', after: trunk.slice(-1) })
  const merged = [...trunk, ours, theirs]
  const ourIndex = buildIndex('feat-x', [...trunk, ours], sha256)
  const found = verifyChain(input(merged, { index: ourIndex }))
  expect(found.map(({ kind }) => kind)).toEqual(['orphan', 'forked-chain'])
  expect(found.every(isMendable)).toBe(true)
  expect(found.map(({ remedy }) => remedy).join(' ')).toContain('holdfast checkpoints verify --task feat-x --repair')
  const joined = [...merged, aCheckpoint({ id: 'ckpt-join', after: [ours, theirs] })]
  expect(verifyChain(input(joined))).toEqual([])
})

test('an index in the middle of a merge says what to do', () => {
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

test('a gate that is left backwards is a finding, and with a reason it is none', () => {
  const late = aCheckpoint({ id: 'ckpt-0', more: { gate: 'G5', type: 'gate_transition' } })
  const back = { id: 'ckpt-1', after: [late], more: { gate: 'G2', type: 'gate_transition' } } as const
  expect(kinds(input([late, aCheckpoint(back)]))).toEqual(['gate-regression ckpt-1'])
  const explained = aCheckpoint({ ...back, more: { ...back.more, override_reason: 'the plan was wrong' } })
  expect(kinds(input([late, explained]))).toEqual([])
})

test('a checkpoint whose session has no file is an orphan, and so is one whose parent never was', () => {
  const files = chain(1)
  expect(kinds(input(files, { sessions: new Set() }))).toEqual(['orphan ckpt-0'])
  const stray = aCheckpoint({
    id: 'ckpt-stray',
    more: { parent: { checkpoint_id: 'ckpt-nowhere', sha256: sha256('') } },
  })
  expect(kinds(input([stray]))).toEqual(['broken-chain ckpt-stray'])
})

test('an index that says something else than the files is stale', () => {
  const files = chain(2)
  const index = buildIndex('feat-x', files, sha256)
  const bent = { ...index, checkpoints: index.checkpoints.map((entry) => ({ ...entry, summary: 'better' })) }
  expect(kinds(input(files, { index: bent }))).toEqual(['index-stale checkpoint-index.json'])
})

test('checkpoints in a circle have no newest one', () => {
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

test('whatever order files are read in, the index is the same bytes and parents come first', () => {
  fc.assert(
    fc.property(history, fc.infiniteStream(fc.nat()), (files, random) => {
      const shuffled = files
        .map((file) => ({ file, key: random.next().value ?? 0 }))
        .sort((a, b) => a.key - b.key)
        .map(({ file }) => file)
      expect(buildIndex('feat-x', shuffled, sha256)).toEqual(buildIndex('feat-x', files, sha256))
      const position = new Map(inChainOrder(shuffled).map(({ checkpoint }, at) => [checkpoint.checkpoint_id, at]))
      for (const { checkpoint } of files)
        for (const { checkpoint_id: id } of [
          ...(checkpoint.parent === null ? [] : [checkpoint.parent]),
          ...checkpoint.joins,
        ])
          expect(position.get(id)).toBeLessThan(position.get(checkpoint.checkpoint_id) ?? -1)
    }),
  )
})

test('any one file changed or taken away is found', () => {
  fc.assert(
    fc.property(history, fc.nat(), fc.boolean(), (files, pick, isGone) => {
      const joined =
        headsOf(files).length > 1 ? [...files, aCheckpoint({ id: 'ckpt-join', after: headsOf(files) })] : files
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
