import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'
import { HoldfastError } from '../kernel/errors.ts'
import type { StoreOwner } from '../project/store-owner.ts'
import { createFileOnce } from './files/create-once.ts'
import { errnoOf } from './base/errno.ts'
import type { Home } from './base/home.ts'

const PERSON = /^[\w-]{8,64}$/

function readPerson(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return undefined
    throw thrown
  }
}

function ensurePersonId({ personFile }: Pick<Home, 'personFile'>): string {
  const made = randomUUID()
  const known = readPerson(personFile) ?? (createFileOnce(personFile, `${made}\n`) ? made : readPerson(personFile))
  if (known !== undefined && PERSON.test(known)) return known
  throw new HoldfastError('settings-unreadable', `${personFile} does not hold the id of a person.`, {
    hint: 'Put the id back, or set `store.person`. Delete the file only if no shared store belongs to you.',
  })
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // An account without an entry in the system's list, as in some containers.
    return 'someone'
  }
}

/** Who uses this home: an id that is made once for each home, unless the user's configuration names the one of another home. */
export function readPersonOf(home: Pick<Home, 'personFile'>, configured: string): StoreOwner {
  const id = configured === '' ? ensurePersonId(home) : configured
  return { id, name: `${userName()}@${hostname()}` }
}
