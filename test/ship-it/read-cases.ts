import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface ShipItCase {
  /** `real-go 12`: the file and the number in it, from 0. */
  readonly id: string
  readonly isDiscrepant: boolean
  /** One of two halves; cases that are twins of each other are in the same. */
  readonly half: 'tuned' | 'reported'
  readonly checklist: string
  readonly files: readonly { readonly path: string; readonly text: string }[]
}

const FOLDER = join(import.meta.dirname, 'cases')

function readCase(name: string, text: string, n: number): ShipItCase {
  const [head = '', ...rest] = text.split('\n')
  const [checklist = '', ...files] = rest.join('\n').split(/^--- /m)
  return {
    id: `${name} ${n}`,
    isDiscrepant: head.startsWith('discrepant'),
    half:
      name.startsWith('tuned') || (!name.startsWith('reported') && Math.floor(n / 2) % 2 === 0) ? 'tuned' : 'reported',
    checklist,
    files: files.map((file) => {
      const end = file.indexOf('\n')
      return { path: file.slice(0, end).trim(), text: file.slice(end + 1) }
    }),
  }
}

/** Every labelled case, in the order of the files. */
export function readCases(): readonly ShipItCase[] {
  return readdirSync(FOLDER)
    .toSorted()
    .flatMap((file) =>
      readFileSync(join(FOLDER, file), 'utf8')
        .split(/^=== /m)
        .slice(1)
        .map((text, n) => readCase(file.replace('.txt', ''), text, n)),
    )
}
