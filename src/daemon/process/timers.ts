import type { Timers } from '../../kernel/ports/ports.ts'

export type TimedResult<T> = { readonly isDone: true; readonly value: T } | { readonly isDone: false }

/** The value of the promise, or `isDone: false` after `ms`. The work then continues; the caller handles its failure. */
export async function within<T>(ms: number, work: Promise<T>): Promise<TimedResult<T>> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<TimedResult<T>>((resolve) => {
    timer = setTimeout(() => resolve({ isDone: false }), Math.max(0, ms))
  })
  try {
    return await Promise.race([work.then((value): TimedResult<T> => ({ isDone: true, value })), late])
  } finally {
    clearTimeout(timer)
  }
}

export const systemTimers: Timers = {
  after(ms, run) {
    const timer = setTimeout(run, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
}
