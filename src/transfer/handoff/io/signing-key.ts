import { join } from 'node:path'
import { ensurePrivateDir, writeFileAtomic } from '../../../platform/files/atomic-file.ts'
import type { Home } from '../../../platform/base/home.ts'
import { withRegularFile } from '../../../platform/files/files.ts'
import { loadSigner, type Signer } from '../../../platform/machine-keys.ts'
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
    // A damaged file means no trusted keys: the next bundle needs consent again.
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

/** SHA-256 of the public key, hex: what two people compare. */
export function computeFingerprint(publicKey: string): string {
  return sha256(Buffer.from(publicKey, 'base64'))
}

/** The key that signs this user's bundles, created on first use; 0600 in the home. */
export function loadBundleSigner(home: Home): Promise<Signer> {
  return loadSigner(
    home,
    join(home.root, 'handoff', 'key.pem'),
    'Move it away to have a new one created; receivers who trusted the old one will be asked again.',
  )
}
