import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { walk } from '../faults/support/file-walk.ts'

const BODY_LINES = 8
const LINE_CHARS = 64
/** A part of a line that is as long as this names its key; parts overlap, so that a line that was cut is found too. */
const PART_CHARS = 24
const PART_STEP = 8

/** Private keys that nobody else has: whatever byte of one is found anywhere tells which field let it through. */
export class SplitKeys {
  readonly #labels = new Map<string, string>()
  readonly #seed: string

  constructor(seed: string) {
    this.#seed = seed
  }

  get size(): number {
    return new Set(this.#labels.values()).size
  }

  /** A key of its own for what the label names, line by line. */
  lines(label: string): readonly string[] {
    const body = Array.from({ length: BODY_LINES }, (_, line) =>
      createHash('sha512')
        .update(`${this.#seed}/${label}/${line}`)
        .digest('base64')
        .replace(/=+$/, '')
        .slice(0, LINE_CHARS),
    )
    for (const line of body)
      for (let from = 0; from + PART_CHARS <= line.length; from += PART_STEP)
        this.#labels.set(line.slice(from, from + PART_CHARS), label)
    return ['-----BEGIN RSA PRIVATE KEY-----', ...body, '-----END RSA PRIVATE KEY-----']
  }

  text(label: string): string {
    return this.lines(label).join('\n')
  }

  /** The labels of all keys of which a part stands in a text. */
  foundIn(text: string): readonly string[] {
    const found = new Set<string>()
    for (const [run] of text.matchAll(/[A-Za-z0-9+/]{24,}/g))
      for (let from = 0; from + PART_CHARS <= run.length; from += 1) {
        const label = this.#labels.get(run.slice(from, from + PART_CHARS))
        if (label !== undefined) found.add(label)
      }
    return [...found]
  }

  /** Every file below a folder that holds a part of one, with the field that it was put into. */
  leaksBelow(root: string): readonly string[] {
    return [...walk(root).keys()].flatMap((path) => {
      try {
        return this.foundIn(readFileSync(path, 'latin1')).map((label) => `${path.slice(root.length + 1)}: ${label}`)
      } catch {
        // A folder, a socket, or a file that is gone by now.
        return []
      }
    })
  }
}
