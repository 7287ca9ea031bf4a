import { expect, test } from 'vitest'
import { canonicalJson } from '../../kernel/json-shape.ts'
import { type BatchHeader, RefusedBatch, type Sealer } from '../sealing.ts'
import { createKeyTexts, createSealing } from './age-sealing.ts'

const header: BatchHeader = { repository: 'r', machine: 'desk', principal: 'p', audience: 'me', first: 4, last: 9 }
const content = canonicalJson({ text: 'a canary in a coal mine' })

async function aSealing(): Promise<Sealer> {
  return createSealing(await createKeyTexts())
}

async function refusalOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'opened',
    (thrown: unknown) => (thrown instanceof RefusedBatch ? thrown.refusal : String(thrown)),
  )
}

test('a batch opens for a member who was given the key, and for nobody else', async () => {
  const [desk, laptop, stranger] = await Promise.all([aSealing(), aSealing(), aSealing()])
  const key = await desk.createSpaceKey(1)
  const batch = await desk.seal(header, content, key)
  expect(Buffer.from(batch.bytes).toString('latin1')).not.toContain('canary')
  const wrapped = await desk.encrypt(new TextEncoder().encode(key.secret), [desk.keys.recipient, laptop.keys.recipient])
  const secret = new TextDecoder().decode(await laptop.keys.open(wrapped))
  expect(await laptop.open(batch, desk.keys.signKey, [{ ...key, secret }])).toBe(content)
  expect(await stranger.keys.open(wrapped)).toBeUndefined()
  const other = await stranger.createSpaceKey(1)
  expect(await refusalOf(stranger.open(batch, desk.keys.signKey, [other]))).toBe('key')
  expect(await refusalOf(stranger.open(batch, desk.keys.signKey, []))).toBe('key')
})

test('a batch that anything was changed in is refused before it is opened', async () => {
  const desk = await aSealing()
  const stranger = await aSealing()
  const key = await desk.createSpaceKey(1)
  const batch = await desk.seal(header, content, key)
  const open = (changed: Partial<typeof batch>) => desk.open({ ...batch, ...changed }, desk.keys.signKey, [key])
  expect(await open({})).toBe(content)
  const changes = [
    { first: 5 },
    { last: 10 },
    { machine: 'laptop' },
    { repository: 's' },
    { audience: 'team' as const },
    { principal: 'q' },
  ]
  for (const change of changes) expect(await refusalOf(open(change))).toBe('signature')
  for (const at of [4, 40, 70, batch.bytes.length - 1]) {
    const bytes = new Uint8Array(batch.bytes)
    bytes[at] = (bytes[at] ?? 0) ^ 1
    expect(await refusalOf(open({ bytes }))).toBe('signature')
  }
  expect(await refusalOf(open({ bytes: batch.bytes.subarray(0, -1) }))).toBe('signature')
  expect(await refusalOf(open({ bytes: new Uint8Array() }))).toBe('damaged')
  expect(await refusalOf(desk.open(batch, stranger.keys.signKey, [key]))).toBe('signature')
  // The form is signed too: a sealed batch cannot be passed as a plain one.
  const plain = await desk.seal(header, content, undefined)
  expect(await desk.open(plain, desk.keys.signKey, [])).toBe(content)
  const relabelled = new Uint8Array(batch.bytes)
  relabelled.set(plain.bytes.subarray(0, 4))
  expect(await refusalOf(open({ bytes: relabelled }))).toBe('signature')
})
