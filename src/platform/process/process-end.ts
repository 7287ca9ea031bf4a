const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

const cleanups = new Set<() => void>()

function cleanUp(): void {
  for (const cleanup of cleanups) {
    cleanups.delete(cleanup)
    try {
      cleanup()
    } catch {
      // The process ends all the same, and the other cleanups have their turn.
    }
  }
}

function onSignal(signal: NodeJS.Signals): void {
  // Whoever else listens decides how this process ends, and then `exit` comes.
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

/** Has `cleanup` run when this process ends, by itself or by a signal that can be caught. Gives the way to take that back. */
export function onProcessEnd(cleanup: () => void): () => void {
  if (cleanups.size === 0) listen()
  cleanups.add(cleanup)
  return () => {
    if (cleanups.delete(cleanup) && cleanups.size === 0) stopListening()
  }
}
