import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto'
import { dirname, join } from 'node:path'
import { HoldfastError } from '../../../kernel/errors.ts'
import { ensurePrivateDir, createFileOnce, writeFileAtomic } from '../../../platform/files/atomic-file.ts'
import type { Home } from '../../../platform/base/home.ts'
import { withRegularFile } from '../../../platform/files/files.ts'
import { sha256 } from '../../../platform/base/crypto.ts'
import * as z from 'zod'

const KnownKeys = z.record(z.string().regex(/^[0-9a-f]{64}$/), z.object({ trustedAt: z.string() }))
const MAX_BYTES = 1_000_000

const knownKeysFile = (home: Home) => join(home.root, 'handoff', 'known-keys.json')

async function loadKnownKeys(home: Home): Promise<z.output<typeof KnownKeys>> {
  const text = await withRegularFile(knownKeysFile(home), async (file, size) =>
    size > MAX_BYTES ? '' : file.readFile('utf8'),
  )
  try {
    return KnownKeys.parse(JSON.parse(text ?? '{}'))
  } catch {
    // A damaged file trusts nobody: the next bundle needs consent again.
    return {}
  }
}

/** Whether a bundle signed by this key was accepted before. */
export async function isTrusted(home: Home, fingerprint: string): Promise<boolean> {
  return Object.hasOwn(await loadKnownKeys(home), fingerprint)
}

export async function trust(home: Home, fingerprint: string, now: string): Promise<void> {
  const known = await loadKnownKeys(home)
  if (Object.hasOwn(known, fingerprint)) return
  ensurePrivateDir(join(home.root, 'handoff'), home.root)
  writeFileAtomic(
    knownKeysFile(home),
    `${JSON.stringify({ ...known, [fingerprint]: { trustedAt: now } }, undefined, 2)}\n`,
  )
}

export interface Signer {
  /** Ed25519, SPKI in DER, base64. */
  readonly publicKey: string
  sign(text: string): string
}

const MAX_KEY_BYTES = 10_000

function keyFile(home: Home): string {
  return join(home.root, 'handoff', 'key.pem')
}

/** SHA-256 of the public key, hex: what two people compare. */
export function computeFingerprint(publicKey: string): string {
  return sha256(Buffer.from(publicKey, 'base64'))
}

function readKey(file: string): Promise<string | undefined> {
  return withRegularFile(file, async (open, size) => (size > MAX_KEY_BYTES ? '' : open.readFile('utf8')))
}

function createKey(file: string, home: Home): void {
  ensurePrivateDir(dirname(file), home.root)
  const { privateKey } = generateKeyPairSync('ed25519')
  // Of two first exports at once, both sign with the key that was created first.
  createFileOnce(file, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
}

/** This user's key, created on first use; 0600 in the home. */
export async function loadSigner(home: Home): Promise<Signer> {
  const file = keyFile(home)
  let pem = await readKey(file)
  if (pem === undefined) {
    createKey(file, home)
    pem = await readKey(file)
  }
  try {
    const key = createPrivateKey(pem ?? '')
    if (key.asymmetricKeyType !== 'ed25519') throw new Error('it is of another kind')
    const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64')
    return { publicKey, sign: (text) => sign(null, Buffer.from(text), key).toString('base64') }
  } catch (cause) {
    throw new HoldfastError('settings-unreadable', `${file} does not contain an Ed25519 key.`, {
      hint: 'Move it away to have a new one created; receivers who trusted the old one will be asked again.',
      cause,
    })
  }
}

export function isSignedBy(publicKey: string, text: string, signature: string): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' })
    return key.asymmetricKeyType === 'ed25519' && verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64'))
  } catch {
    // An invalid key has signed nothing.
    return false
  }
}
