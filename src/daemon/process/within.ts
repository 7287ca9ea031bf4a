export type Timed<T> = { readonly isDone: true; readonly value: T } | { readonly isDone: false }

/** The promise's value, or word that it took longer than `ms`; it goes on by itself then, and its failure is the caller's to follow. */
export async function within<T>(ms: number, work: Promise<T>): Promise<Timed<T>> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Timed<T>>((resolve) => {
    timer = setTimeout(() => resolve({ isDone: false }), Math.max(0, ms))
  })
  try {
    return await Promise.race([work.then((value): Timed<T> => ({ isDone: true, value })), late])
  } finally {
    clearTimeout(timer)
  }
}
