import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto'
import { dirname, join } from 'node:path'
import { HoldfastError } from '../kernel/errors.ts'
import type { Home } from './base/home.ts'
import { createFileOnce, ensurePrivateDir } from './files/atomic-file.ts'
import { withRegularFile } from './files/files.ts'

export interface Signer {
  /** Ed25519, SPKI in DER, base64. */
  readonly publicKey: string
  /** Base64. */
  sign(bytes: string | Uint8Array): string
}

const MAX_KEY_BYTES = 10_000

function readKeyFile(file: string): Promise<string | undefined> {
  return withRegularFile(file, async (open, size) => (size > MAX_KEY_BYTES ? '' : open.readFile('utf8')))
}

/**
 * The content of a key file of the home, created on first use and readable by its owner only (0600). Of two processes that
 * create it at once, both get the key that was created first.
 */
async function ensureKeyFile(
  home: Pick<Home, 'root'>,
  file: string,
  create: () => string | Promise<string>,
): Promise<string> {
  const known = await readKeyFile(file)
  if (known !== undefined) return known
  ensurePrivateDir(dirname(file), home.root)
  createFileOnce(file, await create())
  return (await readKeyFile(file)) ?? ''
}

function createSigningKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}

/** The Ed25519 key of a file, created on first use. */
export async function loadSigner(
  home: Pick<Home, 'root'>,
  file: string,
  hint = 'Move it away to have a new one created.',
): Promise<Signer> {
  const pem = await ensureKeyFile(home, file, createSigningKey)
  try {
    const key = createPrivateKey(pem)
    if (key.asymmetricKeyType !== 'ed25519') throw new Error('it is of another kind')
    const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64')
    return {
      publicKey,
      sign: (bytes) => sign(null, typeof bytes === 'string' ? Buffer.from(bytes) : bytes, key).toString('base64'),
    }
  } catch (cause) {
    throw new HoldfastError('settings-unreadable', `${file} does not contain an Ed25519 key.`, { hint, cause })
  }
}

/** The folder of the keys of this machine. They never travel. */
export function getKeysDir(home: Pick<Home, 'root'>): string {
  return join(home.root, 'keys')
}

/** The key with which this machine signs what it writes for others. */
export function loadMachineSigner(home: Pick<Home, 'root'>): Promise<Signer> {
  return loadSigner(
    home,
    join(getKeysDir(home), 'signing.pem'),
    'Move it away to have a new one created; other machines know this one by its old key.',
  )
}

/** False for an invalid key: it has signed nothing. */
export function isSignedBy(publicKey: string, bytes: string | Uint8Array, signature: string): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' })
    const content = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
    return key.asymmetricKeyType === 'ed25519' && verify(null, content, key, Buffer.from(signature, 'base64'))
  } catch {
    return false
  }
}
