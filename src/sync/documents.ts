import { canonicalJson, isObject } from '../kernel/json-shape.ts'
import type { SyncTransport } from '../kernel/ports/sync-transport.ts'

const MAX_BYTES = 1_000_000

/** A machine of a space and its keys, signed with its own key. */
export interface MemberDocument {
  readonly machine: string
  readonly name: string
  readonly principal: string
  readonly signKey: string
  readonly recipient: string
  /** Another one after it left and joined again: its logs then begin again too. Never compared by time. */
  readonly joinedAt?: string
}

/** A key of the space, encrypted to members; signed by the member who did that. */
export interface KeyDocument {
  readonly id: string
  readonly number: number
  readonly recipient: string
  /** It is for the machines of this person; absent: for all members. */
  readonly person?: string
  /** Whom it is encrypted to. */
  readonly machines: readonly string[]
  /** Base64. */
  readonly wrapped: string
  readonly by: string
}

export interface SignedDocument<Document> {
  readonly document: Document
  readonly signature: string
}

export const SPACE_DOCUMENT = 'space'
export const memberName = (machine: string) => `members/${machine}`
export const keyName = (keyId: string, by: string) => `keys/${keyId}/${by}`

export async function readJson(transport: SyncTransport, name: string): Promise<unknown> {
  const bytes = await transport.readDocument(name)
  if (bytes === undefined || bytes.length > MAX_BYTES) return undefined
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    // Half of it, from a write that is still running or ended early: treated as missing.
    return undefined
  }
}

export function writeJson(transport: SyncTransport, name: string, value: unknown): Promise<void> {
  return transport.writeDocument(name, new TextEncoder().encode(`${canonicalJson(value)}\n`))
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= 1_000_000

function readSigned(value: unknown): { readonly document: unknown; readonly signature: string } | undefined {
  return isObject(value) && isText(value['signature'])
    ? { document: value['document'], signature: value['signature'] }
    : undefined
}

export function parseMember(value: unknown): SignedDocument<MemberDocument> | undefined {
  const signed = readSigned(value)
  if (signed === undefined || !isObject(signed.document)) return undefined
  const { machine, name, principal, signKey, recipient, joinedAt } = signed.document
  if (!isText(machine) || !isText(name) || !isText(principal) || !isText(signKey) || !isText(recipient))
    return undefined
  const document = { machine, name: name.slice(0, 64), principal, signKey, recipient }
  return { document: { ...document, ...(isText(joinedAt) && { joinedAt }) }, signature: signed.signature }
}

export function parseKey(value: unknown): SignedDocument<KeyDocument> | undefined {
  const signed = readSigned(value)
  if (signed === undefined || !isObject(signed.document)) return undefined
  const { id, number, recipient, machines, wrapped, by, person } = signed.document
  if (!isText(id) || !Number.isSafeInteger(number) || !isText(recipient) || !isText(wrapped) || !isText(by))
    return undefined
  if (!Array.isArray(machines) || !machines.every(isText)) return undefined
  if (person !== undefined && !isText(person)) return undefined
  const group = person === undefined ? {} : { person }
  return {
    document: { id, number: Number(number), recipient, ...group, machines, wrapped, by },
    signature: signed.signature,
  }
}
