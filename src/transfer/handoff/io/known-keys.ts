import { join } from 'node:path'
import * as z from 'zod'
import { ensurePrivateDir, writeFileAtomic } from '../../../platform/files/atomic-file.ts'
import type { Home } from '../../../platform/base/home.ts'
import { withRegularFile } from '../../../platform/files/regular-file.ts'

const KnownKeys = z.record(z.string().regex(/^[0-9a-f]{64}$/), z.object({ trustedAt: z.string() }))
const MAX_BYTES = 1_000_000

const fileOf = (home: Home) => join(home.root, 'handoff', 'known-keys.json')

async function load(home: Home): Promise<z.output<typeof KnownKeys>> {
  const text = await withRegularFile(fileOf(home), async (file, size) =>
    size > MAX_BYTES ? '' : file.readFile('utf8'),
  )
  try {
    return KnownKeys.parse(JSON.parse(text ?? '{}'))
  } catch {
    // Damaged, it trusts nobody: the next bundle asks again.
    return {}
  }
}

/** Whether a bundle signed by this key was accepted before. */
export async function isTrusted(home: Home, fingerprint: string): Promise<boolean> {
  return Object.hasOwn(await load(home), fingerprint)
}

export async function trust(home: Home, fingerprint: string, now: string): Promise<void> {
  const known = await load(home)
  if (Object.hasOwn(known, fingerprint)) return
  ensurePrivateDir(join(home.root, 'handoff'), home.root)
  writeFileAtomic(fileOf(home), `${JSON.stringify({ ...known, [fingerprint]: { trustedAt: now } }, undefined, 2)}\n`)
}
