/** Undefined when the time is up, or the work failed. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let giveUp: NodeJS.Timeout | undefined
  const timeUp = new Promise<undefined>((resolve) => {
    // After whatever is waiting to be read: a harness may have been busy for longer than our patience.
    giveUp = setTimeout(() => setImmediate(() => resolve(undefined)), ms)
  })
  try {
    return await Promise.race([work, timeUp])
  } catch {
    return undefined
  } finally {
    clearTimeout(giveUp)
  }
}
