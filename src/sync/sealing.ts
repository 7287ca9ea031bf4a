import { canonicalJson } from '../kernel/json-shape.ts'
import type { SealedBatch } from '../kernel/ports/sync-transport.ts'

export type BatchHeader = Omit<SealedBatch, 'bytes'>

/** A key of a space, as the members hold it. */
export interface SpaceKey {
  readonly id: string
  /** The newest key is used for new batches. */
  readonly number: number
  readonly recipient: string
  readonly secret: string
  /** Only the machines of this person get it; absent: all members. */
  readonly person?: string
  /** Whom it was given to, as far as this machine knows. */
  readonly machines?: readonly string[]
}

/** The newest key for what these readers may read. */
export function findKey(keys: readonly SpaceKey[], person: string | undefined): SpaceKey | undefined {
  return keys.filter((key) => key.person === person).toSorted((one, other) => other.number - one.number)[0]
}

/** The keys of this home. They never leave it. */
export interface HomeKeys {
  /** Ed25519, SPKI, base64. */
  readonly signKey: string
  /** Where others encrypt to. */
  readonly recipient: string
  sign(text: string): string
  /** Undefined if it was not encrypted to this home. */
  open(bytes: Uint8Array): Promise<Uint8Array | undefined>
}

export interface Sealer {
  readonly keys: HomeKeys
  createSpaceKey(number: number): Promise<SpaceKey>
  encrypt(bytes: Uint8Array, recipients: readonly string[]): Promise<Uint8Array>
  isSigned(signKey: string, text: string, signature: string): boolean
  /** Compressed, encrypted to the key and signed; without a key only compressed and signed. */
  seal(header: BatchHeader, content: string, key: SpaceKey | undefined): Promise<SealedBatch>
  /** Verifies before it opens. Throws a `RefusedBatch` that says what is wrong. */
  open(batch: SealedBatch, signKey: string, keys: readonly SpaceKey[]): Promise<string>
}

export const REFUSALS = [
  'signature',
  'key',
  'damaged',
  'unknown-machine',
  'author',
  'out-of-place',
  'missing',
  'newer',
] as const
export type SealRefusal = (typeof REFUSALS)[number]

const REASONS: Readonly<Record<SealRefusal, string>> = {
  signature: 'its signature is wrong: it was altered, cut off, or written by someone else',
  key: 'it is encrypted to a key that this machine does not have',
  damaged: 'its content is not what a batch contains',
  'unknown-machine': 'its machine is not a member of the space, or not accepted',
  author: 'it has records in the name of another person or machine',
  'out-of-place': 'it does not follow the batch before it',
  missing: 'it is missing, although later ones exist',
  newer: 'it has records that this version does not know',
}

/** A batch that is not read. The others are. */
export class RefusedBatch extends Error {
  readonly refusal: SealRefusal
  constructor(refusal: SealRefusal) {
    super(REASONS[refusal])
    this.refusal = refusal
  }
}

export function describeRefusal(refusal: SealRefusal): string {
  return REASONS[refusal]
}

/** What is signed, besides the ciphertext. */
export function toHeaderText({ repository, machine, principal, audience, first, last }: BatchHeader): string {
  return canonicalJson({ repository, machine, principal, audience, first, last })
}
