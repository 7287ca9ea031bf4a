import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto'
import { dirname, join } from 'node:path'
import { HoldfastError } from '../../../kernel/errors.ts'
import { ensurePrivateDir } from '../../../platform/files/atomic-file.ts'
import { createFileOnce } from '../../../platform/files/create-once.ts'
import type { Home } from '../../../platform/base/home.ts'
import { withRegularFile } from '../../../platform/files/regular-file.ts'

export interface Signer {
  /** Ed25519, SPKI in DER, base64. */
  readonly publicKey: string
  sign(text: string): string
}

const MAX_KEY_BYTES = 10_000

function keyFile(home: Home): string {
  return join(home.root, 'handoff', 'key.pem')
}

/** SHA-256 of the public key, hex: what two people read to each other. */
export function fingerprintOf(publicKey: string): string {
  return createHash('sha256').update(Buffer.from(publicKey, 'base64')).digest('hex')
}

function readKey(file: string): Promise<string | undefined> {
  return withRegularFile(file, async (open, size) => (size > MAX_KEY_BYTES ? '' : open.readFile('utf8')))
}

function makeKey(file: string, home: Home): void {
  ensurePrivateDir(dirname(file), home.root)
  const { privateKey } = generateKeyPairSync('ed25519')
  // Of two that export for the first time at once, both sign with the one that stays.
  createFileOnce(file, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
}

/** This user's key, made on first use; 0600 in the home. */
export async function loadSigner(home: Home): Promise<Signer> {
  const file = keyFile(home)
  let pem = await readKey(file)
  if (pem === undefined) {
    makeKey(file, home)
    pem = await readKey(file)
  }
  try {
    const key = createPrivateKey(pem ?? '')
    if (key.asymmetricKeyType !== 'ed25519') throw new Error('it is of another kind')
    const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64')
    return { publicKey, sign: (text) => sign(null, Buffer.from(text), key).toString('base64') }
  } catch (cause) {
    throw new HoldfastError('settings-unreadable', `${file} holds no Ed25519 key.`, {
      hint: 'Move it away to have a new one made; whoever trusted the old one will be asked again.',
      cause,
    })
  }
}

export function isSignedBy(publicKey: string, text: string, signature: string): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' })
    return key.asymmetricKeyType === 'ed25519' && verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64'))
  } catch {
    // A key that is none has signed nothing.
    return false
  }
}
