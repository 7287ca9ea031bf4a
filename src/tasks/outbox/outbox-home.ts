import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { HoldfastError } from '../../kernel/errors.ts'
import { ensurePrivateDir } from '../../platform/files/atomic-file.ts'
import { createFileOnce } from '../../platform/files/create-once.ts'
import { errnoOf } from '../../platform/base/errno.ts'
import type { Home } from '../../platform/base/home.ts'
import { keyOfSecret, secretOfKey } from './signature.ts'

const SECRET_BYTES = 32

/** Where delivery keeps what it knows: in the home, never in a repository that others clone. */
export interface OutboxHome {
  readonly dir: string
  readonly secretFile: string
}

export function outboxHome(home: Pick<Home, 'root'>): OutboxHome {
  const dir = join(home.root, 'outbox')
  return { dir, secretFile: join(dir, 'secret') }
}

/** The file of one task's outbox; the same for every way to write its root. */
export function stateFile({ dir }: OutboxHome, root: string, slug: string): string {
  const digest = createHash('sha256').update(`${root}\0${slug}`).digest('hex').slice(0, 24)
  return join(dir, `${digest}.json`)
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return undefined
    throw new HoldfastError('forbidden', `${file} cannot be read (${errnoOf(thrown) ?? 'unknown'}).`, {
      hint: 'Check its permissions.',
      cause: thrown,
    })
  }
}

/** The secret that receivers check signatures with, made at first use; a user may put another in its file. */
export function findOrMakeSecret(home: Pick<Home, 'root'>): string {
  const { dir, secretFile } = outboxHome(home)
  const kept = readIfThere(secretFile)
  if (kept !== undefined) return secretOfKey(keyOfSecret(kept))
  ensurePrivateDir(dir, home.root)
  const made = secretOfKey(randomBytes(SECRET_BYTES))
  // The daemon and a command may both be first: what one of them signs must be what the other's receiver checks.
  if (createFileOnce(secretFile, `${made}\n`)) return made
  return secretOfKey(keyOfSecret(readIfThere(secretFile) ?? ''))
}
