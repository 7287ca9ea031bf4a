import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { HoldfastError } from '../../kernel/errors.ts'
import { ensurePrivateDir, createFileOnce } from '../../platform/files/atomic-file.ts'
import { getErrorCode } from '../../platform/base/errno.ts'
import type { Home } from '../../platform/base/home.ts'
import { decodeSecret, encodeSecret } from './webhook.ts'
import { sha256 } from '../../platform/base/crypto.ts'

const SECRET_BYTES = 32

/** Delivery state is in the home, never in a repository that others clone. */
export interface OutboxHome {
  readonly dir: string
  readonly secretFile: string
}

export function getOutboxHome(home: Pick<Home, 'root'>): OutboxHome {
  const dir = join(home.root, 'outbox')
  return { dir, secretFile: join(dir, 'secret') }
}

export function getDeliveryStateFile({ dir }: OutboxHome, root: string, slug: string): string {
  const digest = sha256(`${root}\0${slug}`).slice(0, 24)
  return join(dir, `${digest}.json`)
}

function readIfExists(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (thrown) {
    if (getErrorCode(thrown) === 'ENOENT') return undefined
    throw new HoldfastError('forbidden', `${file} cannot be read (${getErrorCode(thrown) ?? 'unknown'}).`, {
      hint: 'Check its permissions.',
      cause: thrown,
    })
  }
}

/** The signing secret, created at first use. The user may replace the file. */
export function getOrCreateSecret(home: Pick<Home, 'root'>): string {
  const { dir, secretFile } = getOutboxHome(home)
  const stored = readIfExists(secretFile)
  if (stored !== undefined) return encodeSecret(decodeSecret(stored))
  ensurePrivateDir(dir, home.root)
  const created = encodeSecret(randomBytes(SECRET_BYTES))
  // The daemon and a command may both be first; both must use the same secret.
  if (createFileOnce(secretFile, `${created}\n`)) return created
  return encodeSecret(decodeSecret(readIfExists(secretFile) ?? ''))
}
