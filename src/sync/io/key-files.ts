import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { HoldfastError } from '../../kernel/errors.ts'
import type { SameShape } from '../../kernel/json-shape.ts'
import type { Home } from '../../platform/base/home.ts'
import { createFileOnce, ensurePrivateDir, writeFileAtomic } from '../../platform/files/atomic-file.ts'
import { withRegularFile } from '../../platform/files/files.ts'
import type { Sealer, SpaceKey } from '../sealing.ts'

const MAX_BYTES = 1_000_000

const HomeKeyFile = z.object({ signing: z.string().min(1), age: z.string().min(1) })
const SpaceKeyFile = z.array(
  z.object({
    id: z.string(),
    number: z.number(),
    recipient: z.string(),
    secret: z.string(),
    person: z.string().optional(),
    machines: z.array(z.string()).optional(),
  }),
)
true satisfies SameShape<z.output<typeof SpaceKeyFile>[number], SpaceKey>

export const syncDir = (home: Pick<Home, 'root'>): string => join(home.root, 'sync')

function readText(file: string): Promise<string | undefined> {
  return withRegularFile(file, async (open, size) => (size > MAX_BYTES ? '' : open.readFile('utf8')))
}

function parseFile<Schema extends z.ZodType>(schema: Schema, file: string, text: string): z.output<Schema> {
  try {
    return schema.parse(JSON.parse(text))
  } catch (cause) {
    throw new HoldfastError('settings-unreadable', `${file} does not contain the keys of this machine.`, {
      hint: 'Restore it from a backup. If there is none, move it away: this machine then joins its spaces as a new one.',
      cause,
    })
  }
}

/** The keys of this home, created on first use; 0600, and they never leave it. */
export async function loadSealing(home: Pick<Home, 'root'>): Promise<Sealer> {
  // Loaded with the first exchange: a daemon without a space has no use for its tables of curves.
  const { createKeyTexts, createSealing } = await import('./age-sealing.ts')
  const dir = syncDir(home)
  const file = join(dir, 'keys.json')
  ensurePrivateDir(dir, home.root)
  let text = await readText(file)
  if (text === undefined) {
    createFileOnce(file, `${JSON.stringify(await createKeyTexts())}\n`)
    text = await readText(file)
  }
  return createSealing(parseFile(HomeKeyFile, file, text ?? ''))
}

/** The keys of the spaces, one file for each space. */
export interface KeyRing {
  load(space: string): Promise<readonly SpaceKey[]>
  save(space: string, keys: readonly SpaceKey[]): Promise<void>
  remove(space: string): Promise<void>
}

export function createKeyRing(home: Pick<Home, 'root'>): KeyRing {
  const dir = join(syncDir(home), 'spaces')
  const fileOf = (space: string) => join(dir, `${space.replaceAll(/[^\w-]/g, '_')}.json`)
  return {
    async load(space) {
      const text = await readText(fileOf(space))
      return text === undefined ? [] : parseFile(SpaceKeyFile, fileOf(space), text)
    },
    async save(space, keys) {
      ensurePrivateDir(syncDir(home), home.root)
      ensurePrivateDir(dir, home.root)
      writeFileAtomic(fileOf(space), `${JSON.stringify(keys)}\n`, { mode: 0o600 })
    },
    remove: (space) => rm(fileOf(space), { force: true }),
  }
}
