import type { Random } from './random.ts'

export const PAGE_BYTES = 4_096

/** Something that happens to a file on a bad disk. */
export interface Damage {
  readonly what: string
  /** Whether some pages with events are as they were, whatever the random numbers. */
  readonly sparesSome: boolean
  /** The share of all events that must be served, where most rows on a page that was touched are whole. */
  readonly atLeast?: number
  /** Whether it cannot go unnoticed at start. */
  readonly isPlain: boolean
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
    sparesSome: true,
    isPlain: true,
    inflict: (bytes, random) =>
      Buffer.concat([Buffer.from(Array.from({ length: 100 }, () => random.int(1, 255))), bytes.subarray(100)]),
  },
  {
    what: 'its second half missing',
    sparesSome: true,
    isPlain: true,
    isSame: true,
    inflict: (bytes) => bytes.subarray(0, bytes.length / 2),
  },
  {
    what: 'a cut in the middle of a page',
    sparesSome: true,
    isPlain: true,
    isSame: true,
    inflict: (bytes) => bytes.subarray(0, Math.floor(bytes.length * 0.8) - 1_234),
  },
  {
    what: 'nothing but zeros',
    sparesSome: false,
    isPlain: true,
    isSame: true,
    inflict: (bytes) => Buffer.alloc(bytes.length),
  },
  {
    what: 'something else in it',
    sparesSome: false,
    isPlain: true,
    isSame: true,
    inflict: () => Buffer.from('a letter to somebody '.repeat(500)),
  },
  {
    what: 'forty flipped bits',
    sparesSome: true,
    atLeast: 0.9,
    isPlain: false,
    inflict(bytes, random) {
      for (let count = 0; count < 40; count += 1)
        flip(bytes, random.int(PAGE_BYTES, bytes.length - 1), random.int(0, 7))
      return bytes
    },
  },
  {
    what: 'three pages of noise',
    sparesSome: true,
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
    sparesSome: false,
    isPlain: false,
    inflict: (bytes, random) => bytes.subarray(0, random.int(1, bytes.length - 1)),
  },
]
