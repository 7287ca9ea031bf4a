import { isObject } from '../kernel/json-shape.ts'

/** What the name of a spool file contains, so that capping and ordering need not read it. */
export interface SpoolName {
  /** Nanoseconds, 20 digits, so that names sort by arrival. */
  readonly arrival: bigint
  readonly pid: number
  /** Counts the files of one process. */
  readonly n: number
  readonly idHash: string
  /** Never dropped to make room: the end of a session, a compaction or a digest. */
  readonly isProtected: boolean
  readonly bytes: number
  /** Failed attempts to replay it. */
  readonly failures: number
}

const NAME = /^(\d{20})-(\d{1,10})-(\d{1,10})-([0-9a-f]{16})-([kp])(\d{1,10})-f(\d)\.json$/

export function parseSpoolName(name: string): SpoolName | undefined {
  const [, arrival, pid, n, idHash, kind, bytes, failures] = NAME.exec(name) ?? []
  if (arrival === undefined || idHash === undefined) return undefined
  return {
    arrival: BigInt(arrival),
    pid: Number(pid),
    n: Number(n),
    idHash,
    isProtected: kind === 'k',
    bytes: Number(bytes),
    failures: Number(failures),
  }
}

export function formatSpoolName(name: SpoolName): string {
  const arrival = name.arrival.toString().padStart(20, '0')
  const n = name.n.toString().padStart(4, '0')
  return `${arrival}-${name.pid}-${n}-${name.idHash}-${name.isProtected ? 'k' : 'p'}${name.bytes}-f${name.failures}.json`
}

function fnv1a(bytes: Uint8Array, seed: number): string {
  let hash = seed
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x0100_0193) >>> 0
  return hash.toString(16).padStart(8, '0')
}

/** 16 hex digits for any string, so that a foreign id never becomes part of a path. */
export function hashId(id: string): string {
  const bytes = new TextEncoder().encode(id)
  return fnv1a(bytes, 0x811c_9dc5) + fnv1a(bytes, 0x050c_5d1f)
}

/** One hook call that waits for the daemon. */
export interface SpoolEntry {
  readonly id: string
  /** UTC ISO time of entry. */
  readonly at: string
  readonly harness: string
  /** The harness's own name for the hook. */
  readonly hook: string
  /** As the harness sent it, redacted. */
  readonly payload: unknown
  readonly pid?: number
  readonly pidStartedAt?: string
  readonly harnessVersion?: string
}

const optional = (value: unknown, type: 'string' | 'number') => value === undefined || typeof value === type

function isSpoolEntry(value: unknown): value is SpoolEntry {
  return (
    isObject(value) &&
    typeof value['id'] === 'string' &&
    value['id'] !== '' &&
    typeof value['at'] === 'string' &&
    typeof value['harness'] === 'string' &&
    typeof value['hook'] === 'string' &&
    'payload' in value &&
    optional(value['pid'], 'number') &&
    optional(value['pidStartedAt'], 'string') &&
    optional(value['harnessVersion'], 'string')
  )
}

/** Undefined for anything that is not an entry. */
export function parseSpoolEntry(text: string): SpoolEntry | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isSpoolEntry(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Entries that end or summarize a session are never dropped to make room. */
export function isProtectedHook(hook: string): boolean {
  return /session_?end|compact|digest/i.test(hook)
}
