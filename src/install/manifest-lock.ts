import { dirname } from 'node:path'
import { HoldfastError } from '../kernel/errors.ts'
import { ensurePrivateDir } from '../platform/files/atomic-file.ts'
import { sleepSync } from '../platform/base/clock.ts'
import type { Home } from '../platform/base/home.ts'
import { takeProcessLock } from '../platform/process/process-lock.ts'
import { systemProcesses } from '../platform/process/processes.ts'

const WAIT_MS = 50
const PATIENCE_MS = 10_000

/** Does it while no other process changes the manifest: what one adds must not be lost in what another writes. */
export function withManifestLock(
  home: Pick<Home, 'manifestFile' | 'root'>,
  work: () => void,
  patienceMs = PATIENCE_MS,
): void {
  ensurePrivateDir(dirname(home.manifestFile), home.root)
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += WAIT_MS) {
    using lock = takeProcessLock(`${home.manifestFile}.lock`, { pid: process.pid, processes: systemProcesses })
    if (lock !== undefined) return work()
    sleepSync(WAIT_MS)
  }
  throw new HoldfastError('conflict', 'Another `holdfast init` or `holdfast uninstall` is at work.', {
    hint: 'Run the command again once it has ended.',
  })
}
