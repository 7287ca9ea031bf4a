/** Kills a process group by its leader. */
export function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

const cleanups = new Set<() => void>()

function cleanUp(): void {
  for (const cleanup of cleanups) {
    cleanups.delete(cleanup)
    try {
      cleanup()
    } catch {
      // The process ends anyway, and the other cleanups still run.
    }
  }
}

function onSignal(signal: NodeJS.Signals): void {
  // Another listener decides how this process ends; `exit` follows.
  if (process.listenerCount(signal) > 1) return
  cleanUp()
  stopListening()
  process.kill(process.pid, signal)
}

function listen(): void {
  process.on('exit', cleanUp)
  for (const signal of SIGNALS) process.on(signal, onSignal)
}

function stopListening(): void {
  process.off('exit', cleanUp)
  for (const signal of SIGNALS) process.off(signal, onSignal)
}

/** Runs `cleanup` when this process exits or receives a signal that can be caught. Returns a function that cancels it. */
export function onProcessEnd(cleanup: () => void): () => void {
  if (cleanups.size === 0) listen()
  cleanups.add(cleanup)
  return () => {
    if (cleanups.delete(cleanup) && cleanups.size === 0) stopListening()
  }
}
