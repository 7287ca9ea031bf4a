import { HoldfastError } from '../errors.ts'
import { canonicalJson } from '../json-shape.ts'
import type { Tombstone } from './record-store.ts'
import type { ContinuityPorts } from './runtime.ts'

/** Of what was erased, so that the tombstone names nothing of it. */
export function digestErased(kind: string, id: string, sha256: (text: string) => string): string {
  return sha256(`${kind}\n${id}`)
}

function toSignedText(tombstone: Tombstone): string {
  return canonicalJson({ ...tombstone, signature: undefined })
}

/** Undefined where nothing can be signed. */
export async function createTombstone(
  { clock, keys, machine, person, sha256 }: ContinuityPorts,
  erased: Tombstone['erased'],
  digests: readonly string[],
): Promise<Tombstone | undefined> {
  const signer = await keys?.loadSigner()
  if (signer === undefined || digests.length === 0) return undefined
  const unsigned: Tombstone = {
    id: `tomb-${sha256([machine.id, ...digests].join('\n')).slice(0, 32)}`,
    erased,
    digests: digests.toSorted(),
    at: clock.now(),
    machine: machine.id,
    principal: person.id,
    publicKey: signer.publicKey,
    signature: '',
  }
  return { ...unsigned, signature: signer.sign(toSignedText(unsigned)) }
}

/** Refuses one that its machine did not sign, or that was signed with another key than the machine is known by. */
export async function checkTombstone({ store, keys }: ContinuityPorts, tombstone: Tombstone): Promise<void> {
  const known = (await store.listMachines()).find(({ id }) => id === tombstone.machine)
  const isSigned = keys?.isSignedBy(tombstone.publicKey, toSignedText(tombstone), tombstone.signature) === true
  const isKnownKey = known?.publicKey === undefined || known.publicKey === tombstone.publicKey
  const isOfPerson = known === undefined || known.person.id === tombstone.principal
  if (isSigned && isKnownKey && isOfPerson) return
  throw new HoldfastError('conflict', `Tombstone ${tombstone.id} was not signed by the machine that it names.`, {
    hint: 'Nothing was erased. Export again on the machine where it was erased.',
  })
}
