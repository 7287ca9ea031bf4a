import type { Random } from './random.ts'

export const PAGE_BYTES = 4_096

/** Something that happens to a file on a bad disk. */
export interface Damage {
  readonly what: string
  /** The share of the events that must still be there. */
  readonly atLeast: number
  /** Whether it cannot go unnoticed at start. */
  readonly isPlain: boolean
  /** Whether all that is left of the file is as it was: then every row on a whole page of it must be there. */
  readonly isCut?: boolean
  /** Whether it is the same every time. */
  readonly isSame?: boolean
  inflict(bytes: Buffer, random: Random): Buffer
}

function flip(bytes: Buffer, at: number, bit: number): void {
  bytes[at] = (bytes[at] ?? 0) ^ (1 << bit)
}

export const DAMAGES: readonly Damage[] = [
  {
    what: 'a garbage header',
    atLeast: 0.95,
    isPlain: true,
    isCut: true,
    inflict: (bytes, random) =>
      Buffer.concat([Buffer.from(Array.from({ length: 100 }, () => random.int(1, 255))), bytes.subarray(100)]),
  },
  {
    what: 'its second half missing',
    // Not more: the front of the file is the schema and the roots of its tables, so the half that is left has far less than half of the
    // pages of events. What there is of them must all be served: `isCut`.
    atLeast: 0.1,
    isPlain: true,
    isCut: true,
    isSame: true,
    inflict: (bytes) => bytes.subarray(0, bytes.length / 2),
  },
  {
    what: 'a cut in the middle of a page',
    atLeast: 0.5,
    isPlain: true,
    isCut: true,
    isSame: true,
    inflict: (bytes) => bytes.subarray(0, Math.floor(bytes.length * 0.8) - 1_234),
  },
  {
    what: 'nothing but zeros',
    atLeast: 0,
    isPlain: true,
    isSame: true,
    inflict: (bytes) => Buffer.alloc(bytes.length),
  },
  {
    what: 'something else in it',
    atLeast: 0,
    isPlain: true,
    isSame: true,
    inflict: () => Buffer.from('a letter to somebody '.repeat(500)),
  },
  {
    what: 'forty flipped bits',
    atLeast: 0.8,
    isPlain: false,
    inflict(bytes, random) {
      for (let count = 0; count < 40; count += 1)
        flip(bytes, random.int(PAGE_BYTES, bytes.length - 1), random.int(0, 7))
      return bytes
    },
  },
  {
    what: 'three pages of noise',
    atLeast: 0.8,
    isPlain: false,
    inflict(bytes, random) {
      const pages = bytes.length / PAGE_BYTES
      for (let count = 0; count < 3; count += 1) {
        const page = random.int(1, pages - 1)
        for (let at = 0; at < PAGE_BYTES; at += 1) bytes[page * PAGE_BYTES + at] = random.int(0, 255)
      }
      return bytes
    },
  },
  {
    what: 'a cut anywhere',
    atLeast: 0,
    isPlain: false,
    isCut: true,
    inflict: (bytes, random) => bytes.subarray(0, random.int(1, bytes.length - 1)),
  },
]
