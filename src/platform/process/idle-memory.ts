/** Collects the garbage of this thread's heap after work, while the process waits for more. */
export interface IdleMemory {
  /** There was work. */
  touch(): void
}

export interface HeapPorts {
  /** Collects what can be collected, and returns free pages to the system. */
  readonly collect: () => void
  /** Bytes that the heap of this thread has from the system. */
  readonly heapBytes: () => number
}

/** An agent that works calls its hooks at shorter intervals: a collection, which takes up to 80 ms, would delay them. */
const QUIET_MS = 3_000
/** Less is not worth it: a young generation alone grows by 2 MB and shrinks again. */
const WORTHWHILE_BYTES = 3 * 2 ** 20

export function createIdleMemory({ collect, heapBytes }: HeapPorts, quietMs = QUIET_MS): IdleMemory {
  let timer: NodeJS.Timeout | undefined
  let leftBytes = 0

  function check(): void {
    if (heapBytes() < leftBytes + WORTHWHILE_BYTES) return
    collect()
    leftBytes = heapBytes()
  }

  return {
    touch() {
      timer ??= setTimeout(check, quietMs).unref()
      timer.refresh()
    },
  }
}

/** The first V8 whose collector can be asked for the thorough collection: that of Node 22. */
const THOROUGH_V8 = 12

/** V8 collects when the heap grows, so an idle process keeps the garbage of its last work. Does nothing without `--expose-gc`. */
export function collectIdleMemory(): IdleMemory {
  const { gc } = globalThis
  if (gc === undefined) return { touch: () => undefined }
  const isThorough = Number.parseInt(process.versions.v8, 10) >= THOROUGH_V8
  return createIdleMemory({
    collect: () => (isThorough ? gc({ type: 'major', execution: 'sync', flavor: 'last-resort' }) : gc()),
    heapBytes: () => process.memoryUsage().heapTotal,
  })
}
