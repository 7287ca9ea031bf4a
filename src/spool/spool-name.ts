/** What a spool file's name says about it, so that capping and ordering need no look inside. */
export interface SpoolName {
  /** Nanoseconds, 20 digits: names sort as events arrived. */
  readonly arrival: bigint
  readonly pid: number
  /** Counts the files of one process. */
  readonly n: number
  readonly idHash: string
  /** Never given up to make room: what ends a session or was said on purpose. */
  readonly isKept: boolean
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
    isKept: kind === 'k',
    bytes: Number(bytes),
    failures: Number(failures),
  }
}

export function formatSpoolName(name: SpoolName): string {
  const arrival = name.arrival.toString().padStart(20, '0')
  const n = name.n.toString().padStart(4, '0')
  return `${arrival}-${name.pid}-${n}-${name.idHash}-${name.isKept ? 'k' : 'p'}${name.bytes}-f${name.failures}.json`
}

function fnv1a(bytes: Uint8Array, seed: number): string {
  let hash = seed
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x0100_0193) >>> 0
  return hash.toString(16).padStart(8, '0')
}

/** Of any string, 16 hex digits: an id from outside never becomes part of a path. */
export function idHashOf(id: string): string {
  const bytes = new TextEncoder().encode(id)
  return fnv1a(bytes, 0x811c_9dc5) + fnv1a(bytes, 0x050c_5d1f)
}
