import { HoldfastError } from '../kernel/errors.ts'
import { canonicalJson, isObject } from '../kernel/json-shape.ts'
import type { MachineRef } from '../kernel/location.ts'
import type { Clock } from '../kernel/ports/ports.ts'
import type { SyncTransport } from '../kernel/ports/sync-transport.ts'
import {
  type KeyDocument,
  keyName,
  type MemberDocument,
  memberName,
  parseKey,
  parseMember,
  readJson,
  type SignedDocument,
  SPACE_DOCUMENT,
  writeJson,
} from './documents.ts'
import { type KnownMember, listLogNotes, type SyncLedger, toEntry } from './ledger.ts'
import { findKey, type Sealer, type SpaceKey } from './sealing.ts'

export interface MembershipPorts {
  readonly transport: SyncTransport
  readonly ledger: SyncLedger
  readonly sealing: Sealer
  readonly machine: MachineRef
  readonly principal: string
  readonly clock: Pick<Clock, 'now'>
  /** automatic: a new machine is trusted when it is first seen. ask: the user accepts it. */
  readonly acceptance: 'automatic' | 'ask'
  /** The keys of the space that this home has. */
  readonly keys: readonly SpaceKey[]
  /** Several people share the space, and each has private records in it: each person has keys besides the common ones. */
  readonly hasPersonKeys?: boolean
}

export interface SpaceMembership {
  readonly keys: readonly SpaceKey[]
  readonly members: ReadonlyMap<string, KnownMember>
  /** Accepted, seen for the first time, gone, or back in this exchange. */
  readonly changes: readonly KnownMember[]
  /** No other member has encrypted the key to this machine yet. */
  readonly isWaiting: boolean
}

export interface SpaceIdentity {
  readonly id: string
  /** The person whose machines use it; absent in a space of several people. */
  readonly person?: string
}

const SPACE_FORMAT = 'holdfast-space/1'

function parseSpace(value: unknown): SpaceIdentity | undefined {
  if (isObject(value) && typeof value['format'] === 'string' && value['format'] !== SPACE_FORMAT)
    throw new HoldfastError(
      'unsupported',
      `The space has the format ${value['format'].slice(0, 40)}, not ${SPACE_FORMAT}.`,
      {
        hint: 'Another machine uses a newer version of Holdfast: `holdfast upgrade` says how to upgrade this one.',
      },
    )
  if (!isObject(value) || typeof value['id'] !== 'string' || !/^[\w-]{8,64}$/.test(value['id'])) return undefined
  const { id, person } = value
  return { id, ...(typeof person === 'string' && { person }) }
}

/** What the space says of itself: another stick at the same path is another space. Undefined where there is none. */
export async function findSpace(transport: SyncTransport): Promise<SpaceIdentity | undefined> {
  return parseSpace(await readJson(transport, SPACE_DOCUMENT))
}

export async function ensureSpace(transport: SyncTransport, made: SpaceIdentity): Promise<SpaceIdentity> {
  const known = await findSpace(transport)
  if (known !== undefined) return known
  await writeJson(transport, SPACE_DOCUMENT, { format: SPACE_FORMAT, ...made })
  // Of two machines that begin at once, both use what is there now.
  return (await findSpace(transport)) ?? made
}

const OWN_KEY = 'own-key'
const OWN_JOINED_AT = 'own-joined-at'

/** A home whose keys were lost is not taken for the machine that it was: the others would read nothing of it. */
async function publishMember(ports: MembershipPorts): Promise<void> {
  const { transport, ledger, sealing, machine, principal, clock } = ports
  const { signKey, recipient } = sealing.keys
  const noted = await ledger.readNote(OWN_JOINED_AT)
  const joinedAt = typeof noted === 'string' ? noted : clock.now()
  const document: MemberDocument = { machine: machine.id, name: machine.name, principal, signKey, recipient, joinedAt }
  const signed: SignedDocument<MemberDocument> = { document, signature: sealing.keys.sign(canonicalJson(document)) }
  const known = parseMember(await readJson(transport, memberName(machine.id)))
  const isOther = known !== undefined && known.document.signKey !== signKey
  // Once they were published from here, other ones in the space were made elsewhere, and are replaced.
  const isNew = (await ledger.readNote(OWN_KEY)) !== signKey
  if (isOther && isNew && sealing.isSigned(known.document.signKey, canonicalJson(known.document), known.signature))
    throw new HoldfastError(
      'conflict',
      'The space has other keys of this machine, so no member could read its records.',
      {
        hint: 'Its keys were lost, or it is a copy of another home. Restore `sync/keys.json` in the home from a backup; or stop the daemon and delete `machine` and `sync/keys.json`: it then joins as a new machine, and its stored data stays.',
      },
    )
  if (canonicalJson(known) !== canonicalJson(signed)) await writeJson(transport, memberName(machine.id), signed)
  if (isNew || noted === undefined)
    await ledger.write([
      toEntry(ledger.name('progress', OWN_KEY), signKey),
      toEntry(ledger.name('progress', OWN_JOINED_AT), joinedAt),
    ])
}

async function readMembers(
  { transport, sealing, machine }: MembershipPorts,
  names: readonly string[],
): Promise<readonly MemberDocument[]> {
  const members: MemberDocument[] = []
  for (const name of names) {
    const signed = parseMember(await readJson(transport, name))
    if (signed === undefined) continue
    const { document, signature } = signed
    const isWhole = name === memberName(document.machine)
    if (
      isWhole &&
      document.machine !== machine.id &&
      sealing.isSigned(document.signKey, canonicalJson(document), signature)
    )
      members.push(document)
  }
  return members
}

function judge(
  found: MemberDocument,
  known: KnownMember | undefined,
  { clock, acceptance }: MembershipPorts,
  isVouchedFor: boolean,
): KnownMember {
  const { machine, name, principal, signKey, recipient } = found
  const joined = found.joinedAt === undefined ? {} : { joinedAt: found.joinedAt }
  if (known !== undefined) {
    if (known.signKey !== signKey || known.recipient !== recipient) return { ...known, state: 'refused' }
    if (known.state === 'left' || (known.state === 'waiting' && (isVouchedFor || acceptance === 'automatic')))
      return { ...known, ...joined, name, state: acceptance === 'automatic' || isVouchedFor ? 'accepted' : 'waiting' }
    return { ...known, ...joined }
  }
  const state = isVouchedFor || acceptance === 'automatic' ? 'accepted' : 'waiting'
  return { machine, name, principal, signKey, recipient, state, since: clock.now(), ...joined }
}

async function readKeys({ transport }: MembershipPorts): Promise<readonly SignedDocument<KeyDocument>[]> {
  const documents: SignedDocument<KeyDocument>[] = []
  for (const name of await transport.listDocuments('keys/')) {
    const signed = parseKey(await readJson(transport, name))
    if (signed !== undefined && name === keyName(signed.document.id, signed.document.by)) documents.push(signed)
  }
  return documents
}

async function unwrap(
  ports: MembershipPorts,
  { wrapped, id, number, recipient, person, machines, by }: KeyDocument,
): Promise<SpaceKey | undefined> {
  const bytes = await ports.sealing.keys.open(new Uint8Array(Buffer.from(wrapped, 'base64')))
  if (bytes === undefined) return undefined
  const secret = new TextDecoder().decode(bytes)
  return { id, number, recipient, secret, machines: listHolders(machines, by), ...(person !== undefined && { person }) }
}

async function writeKey(ports: MembershipPorts, key: SpaceKey, members: readonly KnownMember[]): Promise<SpaceKey> {
  const { sealing, machine, transport } = ports
  const { id, number, recipient, person } = key
  const recipients = [sealing.keys.recipient, ...members.map((member) => member.recipient)]
  const wrapped = await sealing.encrypt(new TextEncoder().encode(key.secret), recipients)
  const document: KeyDocument = {
    id,
    number,
    recipient,
    ...(person !== undefined && { person }),
    machines: [machine.id, ...members.map((member) => member.machine)].toSorted(),
    wrapped: Buffer.from(wrapped).toString('base64'),
    by: machine.id,
  }
  await writeJson(transport, keyName(id, machine.id), {
    document,
    signature: sealing.keys.sign(canonicalJson(document)),
  })
  return addHolders(key, document.machines)
}

/** Who gives a key has it, whatever its document says. */
const listHolders = (machines: readonly string[], by: string) => [...new Set([...machines, by])].toSorted()

const addHolders = (key: SpaceKey, machines: readonly string[]): SpaceKey => ({
  ...key,
  machines: [...new Set([...(key.machines ?? []), ...machines])].toSorted(),
})

interface KeyGroup {
  /** Absent: all members. */
  readonly person?: string
  readonly members: ReadonlyMap<string, KnownMember>
  readonly signedKeys: readonly SignedDocument<KeyDocument>[]
  readonly isSignedBy: (signKey: string | undefined, key: SignedDocument<KeyDocument>) => boolean
}

/** Takes the keys that this machine was given, and gives them to the members that do not have them. */
async function shareKeys(
  ports: MembershipPorts,
  { person, members, signedKeys, isSignedBy }: KeyGroup,
): Promise<{ readonly keys: readonly SpaceKey[]; readonly isWaiting: boolean }> {
  const { machine, sealing } = ports
  // A key for one person that another person made would let the other one read.
  const isEntitled = (member: KnownMember | undefined) => person === undefined || member?.principal === person
  const accepted = [...members.values()].filter((member) => member.state === 'accepted' && isEntitled(member))
  const isHolder = (one: string) => one === machine.id || accepted.some((member) => member.machine === one)
  const documents = signedKeys.filter((key) => key.document.person === person)
  const trusted = documents.filter((key) => {
    const { by } = key.document
    if (by === machine.id) return isSignedBy(sealing.keys.signKey, key)
    const member = members.get(by)
    const isKnown = member?.state === 'accepted' || member?.state === 'left'
    return isKnown && isEntitled(member) && isSignedBy(member.signKey, key)
  })
  const keys = new Map(ports.keys.filter((key) => key.person === person).map((key) => [key.id, key]))
  for (const { document } of trusted) {
    const known = keys.get(document.id)
    const holders = listHolders(document.machines, document.by)
    // A member that has left gives no machine a key any more.
    const isGiven = document.machines.includes(machine.id) && members.get(document.by)?.state !== 'left'
    if (known !== undefined) keys.set(known.id, addHolders(known, holders))
    else if (isGiven) {
      const key = await unwrap(ports, document)
      if (key !== undefined) keys.set(key.id, key)
    }
  }
  // A member that has left gives no machine a key.
  const isWaiting =
    keys.size === 0 &&
    documents.some(({ document: { by } }) => {
      const state = members.get(by)?.state
      return state !== undefined && state !== 'left' && isEntitled(members.get(by))
    })
  if (isWaiting) return { keys: [], isWaiting }
  const newest = findKey([...keys.values()], person)
  if (newest === undefined || newest.machines?.every(isHolder) === false) {
    const made = await sealing.createSpaceKey((newest?.number ?? 0) + 1)
    keys.set(made.id, { ...made, ...(person !== undefined && { person }) })
  }
  for (const key of keys.values()) {
    const reached = new Set(
      trusted.filter(({ document }) => document.id === key.id).flatMap(({ document }) => document.machines),
    )
    if (!reached.has(machine.id) || accepted.some((member) => !reached.has(member.machine)))
      keys.set(key.id, await writeKey(ports, key, accepted))
  }
  return { keys: [...keys.values()], isWaiting }
}

/**
 * Finds out who belongs to the space, says that this machine does, takes the keys that it was given, and gives the keys to
 * the members that do not have them. A member that is gone gets no further key.
 */
export async function meetMembers(ports: MembershipPorts): Promise<SpaceMembership> {
  const { ledger, machine, sealing } = ports
  await publishMember(ports)
  const names = await ports.transport.listDocuments('members/')
  const found = await readMembers(ports, names)
  const signedKeys = await readKeys(ports)
  const known = await ledger.members()
  const changes: KnownMember[] = []
  const members = new Map(known)
  const hadKeys = ports.keys.length > 0
  const isSignedBy = (signKey: string | undefined, { document, signature }: SignedDocument<KeyDocument>) =>
    signKey !== undefined && sealing.isSigned(signKey, canonicalJson(document), signature)
  const gives = (by: MemberDocument, to: string) =>
    signedKeys.some(
      (key) => key.document.by === by.machine && key.document.machines.includes(to) && isSignedBy(by.signKey, key),
    )
  const givers = hadKeys ? [] : found.filter((document) => gives(document, machine.id))
  for (const document of found) {
    // Who encrypted a key to this machine was in the space before it. If the user decides, those must know each other:
    // one that waits could have made a key of its own for the next machine.
    const hasGivenKey =
      givers.includes(document) &&
      (ports.acceptance === 'automatic' ||
        givers.every((other) => other === document || gives(other, document.machine)))
    // Whom an accepted member gave a key, it has accepted.
    const isGivenKey = signedKeys.some(
      (key) =>
        key.document.machines.includes(document.machine) &&
        known.get(key.document.by)?.state === 'accepted' &&
        isSignedBy(known.get(key.document.by)?.signKey, key),
    )
    const before = known.get(document.machine)
    const now = judge(document, before, ports, hasGivenKey || isGivenKey)
    members.set(document.machine, now)
    if (before?.state !== now.state || before.joinedAt !== now.joinedAt) changes.push(now)
  }
  // One that is damaged, or half there, is of a machine that has not left.
  const present = new Set(names)
  for (const member of known.values())
    if (member.state === 'accepted' && !present.has(memberName(member.machine))) {
      const left: KnownMember = { ...member, state: 'left' }
      members.set(member.machine, left)
      changes.push(left)
    }
  // Their logs were removed with them. A team server keeps the logs of those who leave, and continues them.
  const isGone = ({ machine: id, state, joinedAt }: KnownMember) =>
    ports.hasPersonKeys !== true && known.has(id) && (state === 'left' || known.get(id)?.joinedAt !== joinedAt)
  const gone = new Set(changes.filter(isGone).map((member) => member.machine))
  if (changes.length > 0)
    await ledger.write(
      changes.map((member) => toEntry(ledger.name('member', member.machine), member)),
      gone.size === 0 ? [] : await listLogNotes(ledger, gone),
    )

  const shared: { keys: readonly SpaceKey[]; isWaiting: boolean }[] = []
  for (const person of ports.hasPersonKeys === true ? [undefined, ports.principal] : [undefined])
    shared.push(await shareKeys(ports, { members, signedKeys, isSignedBy, ...(person !== undefined && { person }) }))
  return {
    keys: shared.flatMap(({ keys }) => keys),
    members,
    changes,
    isWaiting: shared.some(({ isWaiting }) => isWaiting),
  }
}
