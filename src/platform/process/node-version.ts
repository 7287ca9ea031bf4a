import { spawnSync } from 'node:child_process'

/** As launcher-fallback.sh and bin/holdfast have it. */
const TOO_OLD = /^(?:1?\d|20\.(?:\d|1[0-8])|21\.\d+|22\.[0-2])\./

const DEADLINE_MS = 2_000

/** The version of a Node that exists and is too old; undefined for any other program. */
export function findTooOldNode(program: string): string | undefined {
  if (program === process.execPath) return undefined
  const { NODE_OPTIONS: _, NODE_EXTRA_CA_CERTS: __, ...env } = process.env
  const { stdout, status } = spawnSync(program, ['--version'], { encoding: 'utf8', timeout: DEADLINE_MS, env })
  const version = /^v(\d+\.\d+\.\d+)/.exec(stdout ?? '')?.[1]
  return status === 0 && version !== undefined && TOO_OLD.test(version) ? version : undefined
}
