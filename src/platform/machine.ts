import { randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'
import * as z from 'zod'
import type { Machine } from '../kernel/location.ts'
import { writeFileAtomic, createFileOnce } from './files/atomic-file.ts'
import { readIfPresent } from './files/read-if-present.ts'
import type { Home } from './base/home.ts'
import { sha256 } from './base/crypto.ts'
import { HoldfastError } from '../kernel/errors.ts'
import type { StoreOwner } from '../kernel/location.ts'
import { type Config, isSharedStore } from '../kernel/config.ts'
import type { MachineKeys } from '../kernel/ports/runtime.ts'
import { isSignedBy, loadMachineSigner } from './machine-keys.ts'

const PERSON = /^[\w-]{8,64}$/

const readPerson = (file: string) => readIfPresent(file)?.trim()

function ensurePersonId({ personFile }: Pick<Home, 'personFile'>): string {
  const made = randomUUID()
  const known = readPerson(personFile) ?? (createFileOnce(personFile, `${made}\n`) ? made : readPerson(personFile))
  if (known !== undefined && PERSON.test(known)) return known
  throw new HoldfastError('settings-unreadable', `${personFile} does not hold a user id.`, {
    hint: 'Put the id back, or set `store.person`. Delete the file only if no shared store belongs to you.',
  })
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // An account without a passwd entry, as in some containers.
    return 'someone'
  }
}

/** The user of this home: an id that is generated once per home, unless the configuration names that of another home. */
export function readStoreOwner(home: Pick<Home, 'personFile'>, configured: string): StoreOwner {
  const id = configured === '' ? ensurePersonId(home) : configured
  return { id, name: `${userName()}@${hostname()}` }
}

/** This home becomes one of the homes of that person. */
export function writePersonId({ personFile }: Pick<Home, 'personFile'>, id: string): void {
  if (!PERSON.test(id)) throw new HoldfastError('invalid-input', 'The space does not name its person.')
  writeFileAtomic(personFile, `${id}\n`, { mode: 0o600 })
}

export interface MachineIdentity {
  readonly machine: Machine
  readonly person: StoreOwner
  readonly keys: MachineKeys
}

/** This machine, its person and its keys. */
export function readSelf(home: Home, store: Pick<Config['store'], 'url' | 'person'>): MachineIdentity {
  return {
    machine: readMachine(home, isSharedStore(store)),
    person: readStoreOwner(home, store.person),
    keys: { loadSigner: () => loadMachineSigner(home), isSignedBy },
  }
}

const NAME_CHARS = 64
/** The initial pid namespace of Linux, that of the machine itself. */
const FIRST_NAMESPACE = 'pid:[4026531836]'

const Kept = z.object({ id: z.uuid(), host: z.string() })

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() || undefined
  } catch {
    // Missing on this system, or not readable.
    return undefined
  }
}

/**
 * Detects a copied home; empty when the system has no such id. The host name does not work: a container gets a new one
 * at every start, with its home on a volume.
 */
function hostMark(): string {
  const id = textOf('/etc/machine-id')
  return id === undefined ? '' : sha256(`holdfast ${id}`).slice(0, 32)
}

function readKept(file: string): z.output<typeof Kept> | undefined {
  const text = readIfPresent(file)
  if (text === undefined) return undefined
  try {
    return Kept.parse(JSON.parse(text))
  } catch {
    // Not ours, or truncated: a new one is generated, as for a copied home.
    return undefined
  }
}

function ensureMachineId({ machineFile }: Pick<Home, 'machineFile'>): string {
  const host = hostMark()
  const stored = readKept(machineFile)
  if (stored !== undefined && (stored.host === host || stored.host === '' || host === '')) return stored.id
  const made = { id: randomUUID(), host }
  const text = `${JSON.stringify(made)}\n`
  try {
    if (stored !== undefined || !createFileOnce(machineFile, text)) writeFileAtomic(machineFile, text, { mode: 0o600 })
    return made.id
  } catch {
    // A full disk must not prevent reading. Until there is room, the host id is used.
    return `unkept-${host}`
  }
}

/** For a container: homes copied with an image share one machine id, and each container counts processes from 1. */
function processSpace(): string {
  try {
    const namespace = readlinkSync('/proc/self/ns/pid')
    if (namespace === FIRST_NAMESPACE) return ''
    const boot = textOf('/proc/sys/kernel/random/boot_id') ?? ''
    return `.${sha256(`${boot} ${namespace}`).slice(0, 8)}`
  } catch {
    // No such file outside Linux.
    return ''
  }
}

/**
 * This machine, by an id that is generated once per home. Where other daemons write to the same store, a container counts as a separate
 * machine: the processes of another container cannot be checked.
 */
export function readMachine(home: Pick<Home, 'machineFile'>, sharesStore: boolean): Machine {
  const hostId = ensureMachineId(home)
  const id = `${hostId}${sharesStore ? processSpace() : ''}`
  return { id, hostId, name: hostname().slice(0, NAME_CHARS), sharesStore }
}
