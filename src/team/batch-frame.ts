import { HoldfastError } from '../kernel/errors.ts'
import { isObject } from '../kernel/json-shape.ts'
import type { SealedBatch } from '../kernel/ports/sync-transport.ts'

const LENGTH_BYTES = 4
const MAX_HEAD_BYTES = 4_096

/** Two lengths, the header as JSON, the sealed bytes. Base64 inside JSON would be a third larger. */
export function encodeBatches(batches: readonly SealedBatch[]): Uint8Array {
  const encoder = new TextEncoder()
  const parts = batches.map(({ bytes, ...head }) => ({ head: encoder.encode(JSON.stringify(head)), bytes }))
  const total = parts.reduce((sum, { head, bytes }) => sum + 2 * LENGTH_BYTES + head.length + bytes.length, 0)
  const frame = new Uint8Array(total)
  const view = new DataView(frame.buffer)
  let at = 0
  for (const { head, bytes } of parts) {
    view.setUint32(at, head.length)
    view.setUint32(at + LENGTH_BYTES, bytes.length)
    frame.set(head, at + 2 * LENGTH_BYTES)
    frame.set(bytes, at + 2 * LENGTH_BYTES + head.length)
    at += 2 * LENGTH_BYTES + head.length + bytes.length
  }
  return frame
}

function refuseFrame(reason: string): never {
  throw new HoldfastError('invalid-input', `The batches cannot be read: ${reason}.`)
}

const REPOSITORY = /^[\w-]{16,128}$/
const MACHINE = /^[\w.-]{1,128}$/
const PRINCIPAL = /^[\w.@-]{1,128}$/
/** Far below 2^53, so that every number is exact. */
const MAX_NUMBER = 2 ** 52

function readText(head: Readonly<Record<string, unknown>>, name: string, shape: RegExp): string {
  const value = head[name]
  return typeof value === 'string' && shape.test(value) ? value : refuseFrame(`${name} is not valid`)
}

function readNumber(head: Readonly<Record<string, unknown>>, name: string): number {
  const value = head[name]
  const isValid = typeof value === 'number' && Number.isSafeInteger(value) && value >= 1 && value <= MAX_NUMBER
  return isValid ? value : refuseFrame(`${name} is not a record number`)
}

export function isRepositoryKey(text: string): boolean {
  return REPOSITORY.test(text)
}

export function isMachineId(text: string): boolean {
  return MACHINE.test(text)
}

export function isPersonId(text: string): boolean {
  return PRINCIPAL.test(text)
}

/** Slashes make folders; no part is empty or begins with a dot. */
const DOCUMENT = /^(?=.{1,256}$)[\w@:+=-][\w.@:+=-]*(?:\/[\w@:+=-][\w.@:+=-]*)*$/

export function isDocumentName(text: string): boolean {
  return DOCUMENT.test(text)
}

function parseHead(text: string): Omit<SealedBatch, 'bytes'> {
  let head: unknown
  try {
    head = JSON.parse(text)
  } catch {
    return refuseFrame('a header is not JSON')
  }
  if (!isObject(head)) return refuseFrame('a header is not an object')
  const { audience } = head
  if (audience !== 'me' && audience !== 'team') return refuseFrame('audience is neither "me" nor "team"')
  const batch = {
    repository: readText(head, 'repository', REPOSITORY),
    machine: readText(head, 'machine', MACHINE),
    principal: readText(head, 'principal', PRINCIPAL),
    audience,
    first: readNumber(head, 'first'),
    last: readNumber(head, 'last'),
  } as const
  return batch.last < batch.first ? refuseFrame('last is before first') : batch
}

/** Throws `invalid-input` for anything that `encodeBatches` did not write. */
export function decodeBatches(frame: Uint8Array): readonly SealedBatch[] {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength)
  const decoder = new TextDecoder()
  const batches: SealedBatch[] = []
  for (let at = 0; at < frame.length; ) {
    if (at + 2 * LENGTH_BYTES > frame.length) return refuseFrame('the end is missing')
    const headLength = view.getUint32(at)
    const bytesLength = view.getUint32(at + LENGTH_BYTES)
    const headAt = at + 2 * LENGTH_BYTES
    const bytesAt = headAt + headLength
    if (headLength > MAX_HEAD_BYTES) return refuseFrame('a header is too long')
    if (bytesAt + bytesLength > frame.length) return refuseFrame('the end is missing')
    const head = parseHead(decoder.decode(frame.subarray(headAt, bytesAt)))
    // A copy: the batch outlives the frame, which may be a pool's buffer.
    batches.push({ ...head, bytes: Uint8Array.from(frame.subarray(bytesAt, bytesAt + bytesLength)) })
    at = bytesAt + bytesLength
  }
  return batches
}
