import { statSync } from 'node:fs'

/** Which file a path led to: another one under the same name has another identity, as long as somebody holds the first one open. */
export interface FileIdentity {
  readonly path: string
  readonly id: string | undefined
}

/** Undefined when there is no file. */
function idOf(path: string): string | undefined {
  const facts = statSync(path, { throwIfNoEntry: false })
  return facts && `${facts.dev}:${facts.ino}`
}

export function identityOf(path: string): FileIdentity {
  return { path, id: idOf(path) }
}

export function isStillThere({ path, id }: FileIdentity): boolean {
  return idOf(path) === id
}
