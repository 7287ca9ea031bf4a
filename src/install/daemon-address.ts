import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname } from 'node:path'
import { randomBytes, randomInt } from 'node:crypto'
import { HoldfastError } from '../kernel/errors.ts'
import { ensurePrivateDir, createFileOnce } from '../platform/files/atomic-file.ts'
import { readIfPresent } from '../platform/files/read-if-present.ts'
import type { Home } from '../platform/base/home.ts'
import { EndpointSchema } from '../wire/daemon.ts'

/** The port of the running daemon; undefined when none runs. */
export function findRunningPort(home: Pick<Home, 'endpointFile'>): number | undefined {
  try {
    const port = EndpointSchema.parse(JSON.parse(readFileSync(home.endpointFile, 'utf8'))).port
    return port > 0 ? port : undefined
  } catch {
    // Missing or half-written: any free port will do.
    return undefined
  }
}

/** Below the ephemeral ports, so that no outgoing connection occupies it when the daemon starts. */
const FIRST_PORT = 20_000
const PORTS = 10_000
const MAX_TRIES = 50

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

/** A random port on loopback that is free now. */
export async function findFreePort(): Promise<number> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const port = FIRST_PORT + randomInt(PORTS)
    if (await isFree(port)) return port
  }
  throw new HoldfastError('unsupported', 'No free port was found for hooks that call the daemon directly.', {
    hint: 'Run the command again with `--no-http`.',
  })
}

const TOKEN = /^[\w-]{43}$/

/** The token that may only post hook events; undefined when there is none yet. */
export function findHookToken(home: Pick<Home, 'hookTokenFile'>): string | undefined {
  const token = readIfPresent(home.hookTokenFile)?.trim() ?? ''
  return TOKEN.test(token) ? token : undefined
}

/** Creates the token if there is none. If a daemon creates one at the same time, one of the two wins. */
export function ensureHookToken(home: Pick<Home, 'hookTokenFile' | 'root'>): string {
  const known = findHookToken(home)
  if (known !== undefined) return known
  ensurePrivateDir(dirname(home.hookTokenFile), home.root)
  createFileOnce(home.hookTokenFile, `${randomBytes(32).toString('base64url')}\n`)
  const made = findHookToken(home)
  if (made !== undefined) return made
  throw new HoldfastError('forbidden', `${home.hookTokenFile} does not contain a valid token.`, {
    hint: 'Delete the file: a new token is created at the next start.',
  })
}
