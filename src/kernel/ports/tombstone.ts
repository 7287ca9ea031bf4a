import { canonicalJson } from '../json-shape.ts'
import type { KnownMachine, Tombstone } from './record-store.ts'
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

/**
 * How far an erasure is trusted: `known` means that the machine and its key were known as this person's before; `unknown` that
 * nothing but the text itself says whose it is; `invalid` that the machine that it names did not sign it.
 */
export type TombstoneSigner = 'known' | 'unknown' | 'invalid'

/** `machines`: those that were known before the tombstone arrived. */
export async function findTombstoneSigner(
  { machine, keys }: ContinuityPorts,
  machines: readonly KnownMachine[],
  tombstone: Tombstone,
): Promise<TombstoneSigner> {
  if (keys?.isSignedBy(tombstone.publicKey, toSignedText(tombstone), tombstone.signature) !== true) return 'invalid'
  if (tombstone.machine === machine.id)
    return (await keys.loadSigner())?.publicKey === tombstone.publicKey ? 'known' : 'invalid'
  const known = machines.find(({ id }) => id === tombstone.machine)
  if (known?.publicKey === undefined) return 'unknown'
  if (known.publicKey !== tombstone.publicKey) return 'invalid'
  return known.person.id === tombstone.principal ? 'known' : 'unknown'
}
