type Task<Result> = () => Promise<Result>

/** Runs tasks one after the other, in the order they were given. A task that fails does not stop the next. */
export function createTaskQueue(): <Result>(task: Task<Result>) => Promise<Result> {
  let tail: Promise<unknown> = Promise.resolve()
  return (task) => {
    const result = tail.then(task)
    tail = result.catch(() => undefined)
    return result
  }
}

/** A queue for each key; tasks of different keys run at the same time. */
export class KeyedTaskQueue<Key> {
  readonly #tails = new Map<Key, Promise<unknown>>()

  /** Settles as the task does. */
  run<Result>(key: Key, task: Task<Result>): Promise<Result> {
    const result = (this.#tails.get(key) ?? Promise.resolve()).then(task, task)
    this.#tails.set(key, result)
    const forget = () => {
      if (this.#tails.get(key) === result) this.#tails.delete(key)
    }
    result.then(forget, forget)
    return result
  }

  /** Resolves once no task is left, those included that are added meanwhile. */
  async drain(): Promise<void> {
    while (this.#tails.size > 0) await Promise.allSettled(this.#tails.values())
  }
}

/** At most one run of a task for each key: a caller that comes while one is running gets its result. */
export class SharedRuns<Key, Result> {
  readonly #running = new Map<Key, Promise<Result>>()

  run(key: Key, task: Task<Result>): Promise<Result> {
    const running = this.#running.get(key)
    if (running !== undefined) return running
    const result = task().finally(() => this.#running.delete(key))
    this.#running.set(key, result)
    return result
  }

  has(key: Key): boolean {
    return this.#running.has(key)
  }
}
