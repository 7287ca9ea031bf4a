import { createHash, randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { z } from 'zod'
import type { Machine } from '../kernel/machine.ts'
import { writeFileAtomic } from './files/atomic-file.ts'
import { createFileOnce } from './files/create-once.ts'
import { errnoOf } from './base/errno.ts'
import type { Home } from './base/home.ts'

const NAME_CHARS = 64
/** What Linux gives to the first process namespace, the one of the machine itself. */
const FIRST_NAMESPACE = 'pid:[4026531836]'

const Kept = z.object({ id: z.uuid(), host: z.string() })

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() || undefined
  } catch {
    // Not there on this system, or not to be read: then it tells nothing.
    return undefined
  }
}

/**
 * What a copied home is noticed by; empty where the system has no such id. The host's name would not do: a container gets a new one
 * at every start, with its home on a volume.
 */
function hostMark(): string {
  const id = textOf('/etc/machine-id')
  return id === undefined ? '' : createHash('sha256').update(`holdfast ${id}`).digest('hex').slice(0, 32)
}

function readKept(file: string): z.output<typeof Kept> | undefined {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return undefined
    throw thrown
  }
  try {
    return Kept.parse(JSON.parse(text))
  } catch {
    // Written by something else, or cut short: a new one is made, as for a home that was copied.
    return undefined
  }
}

function ensureMachineId({ machineFile }: Pick<Home, 'machineFile'>): string {
  const host = hostMark()
  const kept = readKept(machineFile)
  if (kept !== undefined && (kept.host === host || kept.host === '' || host === '')) return kept.id
  const made = { id: randomUUID(), host }
  const text = `${JSON.stringify(made)}\n`
  try {
    if (kept !== undefined || !createFileOnce(machineFile, text)) writeFileAtomic(machineFile, text, { mode: 0o600 })
    return made.id
  } catch {
    // A full disk must not keep anybody from what is there to be read. Until there is room, the host goes by its own mark.
    return `unkept-${host}`
  }
}

/** Of a container: homes that were copied with its image have one machine id, and each container counts processes from 1. */
function processSpace(): string {
  try {
    const namespace = readlinkSync('/proc/self/ns/pid')
    if (namespace === FIRST_NAMESPACE) return ''
    const boot = textOf('/proc/sys/kernel/random/boot_id') ?? ''
    return `.${createHash('sha256').update(`${boot} ${namespace}`).digest('hex').slice(0, 8)}`
  } catch {
    // No such file outside of Linux.
    return ''
  }
}

/**
 * This machine, by an id that is made once for each home. Where other daemons write to the same store, a container counts as a machine
 * of its own: nobody can judge a process of another one.
 */
export function readMachine(home: Pick<Home, 'machineFile'>, sharesStore: boolean): Machine {
  const hostId = ensureMachineId(home)
  const id = `${hostId}${sharesStore ? processSpace() : ''}`
  return { id, hostId, name: hostname().slice(0, NAME_CHARS), sharesStore }
}
