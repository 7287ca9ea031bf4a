import { readFileSync, rmSync } from 'node:fs'
import type * as z from 'zod'
import { writeFileAtomic } from '../../platform/files/atomic-file.ts'
import type { Home } from '../../platform/base/home.ts'
import { removeLauncherFile, writeLauncherFile } from '../../platform/launcher-file.ts'
import { EndpointSchema } from '../../wire/daemon.ts'

export type Endpoint = z.output<typeof EndpointSchema>

/** Publishes the address, once both listeners are up. */
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
 * Launchers that found the daemon late use the Node client. Where starting Node takes the whole time of a hook, that client
 * never notices that the daemon answers again, so the daemon removes the mark itself.
 */
export function clearLateMark(home: Home): void {
  rmSync(home.lateFile, { force: true })
}

/** The address of the running daemon; undefined when none is published. */
export function findEndpoint(home: Home): Endpoint | undefined {
  try {
    return EndpointSchema.safeParse(JSON.parse(readFileSync(home.endpointFile, 'utf8'))).data
  } catch {
    // Missing or cut short: no address is known.
    return undefined
  }
}
