import { HoldfastError } from '../kernel/errors.ts'
import { canonicalJson, isObject } from '../kernel/json-shape.ts'
import type { SyncTransport } from '../kernel/ports/sync-transport.ts'
import { readJson, readSigned, type SignedDocument, writeJson } from './documents.ts'
import { type KnownMember, toEntry } from './ledger.ts'
import type { MembershipPorts } from './members.ts'

/** A member says that a machine does not belong to the space any more. It stays there for machines that come later. */
interface RevocationDocument {
  readonly machine: string
  readonly by: string
  /** How far its logs are read, by repository. */
  readonly heads: Readonly<Record<string, number>>
}

const PREFIX = 'revoked/'
const revocationName = ({ machine, by }: RevocationDocument) => `${PREFIX}${machine}/${by}`

function parseRevocation(value: unknown): SignedDocument<RevocationDocument> | undefined {
  const signed = readSigned(value)
  if (signed === undefined || !isObject(signed.document)) return undefined
  const { machine, by, heads } = signed.document
  if (typeof machine !== 'string' || typeof by !== 'string' || !isObject(heads)) return undefined
  const numbers = Object.entries(heads).flatMap(([log, head]) =>
    Number.isSafeInteger(head) ? [[log, Number(head)] as const] : [],
  )
  return { document: { machine, by, heads: Object.fromEntries(numbers) }, signature: signed.signature }
}

async function readRevocations(transport: SyncTransport): Promise<readonly SignedDocument<RevocationDocument>[]> {
  const found: SignedDocument<RevocationDocument>[] = []
  for (const name of await transport.listDocuments(PREFIX)) {
    const signed = parseRevocation(await readJson(transport, name))
    if (signed !== undefined && name === revocationName(signed.document)) found.push(signed)
  }
  return found
}

export async function writeRevocation(
  ports: Pick<MembershipPorts, 'transport' | 'sealing' | 'machine' | 'ledger'>,
  member: KnownMember,
): Promise<KnownMember> {
  const { transport, sealing, machine, ledger } = ports
  const logs = (await transport.listLogs()).filter((log) => log.machine === member.machine)
  const heads = Object.fromEntries(logs.map(({ repository, head }) => [repository, head]))
  const document: RevocationDocument = { machine: member.machine, by: machine.id, heads }
  const revoked: KnownMember = { ...member, state: 'revoked', heads }
  // First: if the space cannot be written, this machine reads nothing more of it all the same.
  await ledger.write([toEntry(ledger.name('member', member.machine), revoked)])
  await writeJson(transport, revocationName(document), {
    document,
    signature: sealing.keys.sign(canonicalJson(document)),
  })
  return revoked
}

function findMember(members: ReadonlyMap<string, KnownMember>, id: string): KnownMember | undefined {
  const found = members.get(id)
  return found?.state === 'accepted' || found?.state === 'left' ? found : undefined
}

/** The members as the others see them now. Throws if this machine is one that was revoked. */
export async function applyRevocations(
  { transport, sealing, machine }: MembershipPorts,
  members: ReadonlyMap<string, KnownMember>,
): Promise<ReadonlyMap<string, KnownMember>> {
  const changed = new Map(members)
  for (const { document, signature } of await readRevocations(transport)) {
    const by =
      document.by === machine.id
        ? { name: machine.name, signKey: sealing.keys.signKey }
        : findMember(members, document.by)
    if (by === undefined || !sealing.isSigned(by.signKey, canonicalJson(document), signature)) continue
    if (document.machine === machine.id)
      throw new HoldfastError('forbidden', `${by.name} has revoked this machine in the space.`, {
        hint: 'Nothing is sent or received any more; what is stored here stays. `holdfast sync remove --keep` leaves the space.',
      })
    const member = members.get(document.machine)
    if (member !== undefined && member.state !== 'revoked')
      changed.set(member.machine, { ...member, state: 'revoked', heads: document.heads })
  }
  return changed
}
