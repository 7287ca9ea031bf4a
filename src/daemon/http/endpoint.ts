import { readFileSync, rmSync } from 'node:fs'
import type * as z from 'zod'
import { writeFileAtomic } from '../../platform/files/atomic-file.ts'
import type { Home } from '../../platform/base/home.ts'
import { removeLauncherFile, writeLauncherFile } from '../../platform/launcher-file.ts'
import { EndpointSchema } from '../../wire/daemon.ts'

export type Endpoint = z.output<typeof EndpointSchema>

/** Tells clients where to come, once both listeners are up. */
export function writeEndpoint(home: Home, endpoint: Endpoint, hookToken: string): void {
  writeFileAtomic(home.endpointFile, `${JSON.stringify(endpoint)}\n`, { mode: 0o600 })
  const { port, pid } = endpoint
  writeLauncherFile(home, { port, pid, hookToken, nodePath: process.execPath })
}

export function removeEndpoint(home: Home): void {
  removeLauncherFile(home)
  rmSync(home.endpointFile, { force: true })
}

/**
 * Launchers that found the daemon late leave it to the Node client. Where starting Node takes a hook's whole time, that client
 * never gets to see that the daemon answers again, so a daemon that is awake says it by itself.
 */
export function callLaunchersBack(home: Home): void {
  rmSync(home.lateFile, { force: true })
}

/** Where the running daemon is; undefined when none has said so. */
export function findEndpoint(home: Home): Endpoint | undefined {
  try {
    return EndpointSchema.safeParse(JSON.parse(readFileSync(home.endpointFile, 'utf8'))).data
  } catch {
    // Missing, or cut short by a disaster: either way nobody has said where the daemon is.
    return undefined
  }
}
