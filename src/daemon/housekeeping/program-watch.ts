import { statSync } from 'node:fs'

function stampOf(file: string): string | undefined {
  const facts = statSync(file, { throwIfNoEntry: false })
  return facts === undefined ? undefined : `${facts.mtimeMs} ${facts.size}`
}

/** Tells whether `file` is still what it was at this call: an upgrade puts another in its place, an uninstall none. */
export function watchProgram(file: string): () => boolean {
  const before = stampOf(file)
  return () => stampOf(file) === before
}
