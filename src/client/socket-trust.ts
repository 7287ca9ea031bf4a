import { lstatSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Home } from '../platform/base/home.ts'

/**
 * Whether the folder of the socket is ours alone. In the home it is by construction; a socket in the shared temporary folder (for homes
 * with very long paths) might be one that somebody else put there to be told our prompts.
 */
export function isSocketTrusted(home: Pick<Home, 'socket' | 'runDir'>): boolean {
  if (process.platform === 'win32' || home.socket.startsWith(`${home.runDir}/`)) return true
  const facts = lstatSync(dirname(home.socket), { throwIfNoEntry: false })
  return facts === undefined || (facts.isDirectory() && facts.uid === process.getuid?.() && (facts.mode & 0o077) === 0)
}
