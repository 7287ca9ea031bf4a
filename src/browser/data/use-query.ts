import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { CallError } from './call.ts'
import { type Frame, onFrames, onLiveState, readLiveState } from './live.ts'

export interface Query<Value> {
  readonly value: Value | undefined
  readonly error: CallError | undefined
  readonly isLoading: boolean
  readonly reload: () => void
}

interface QueryOptions {
  /** Frames after which the value is read again. */
  readonly isStale?: (frame: Frame) => boolean
  /** At most one reload in this time. */
  readonly everyMs?: number
}

/** Reads a value when `keys` change and when the stream says that it changed; an older answer never replaces a newer one. */
export function useQuery<Value>(
  read: (signal: AbortSignal) => Promise<Value>,
  keys: readonly unknown[],
  { isStale, everyMs = 1_000 }: QueryOptions = {},
): Query<Value> {
  const [answer, setAnswer] = useState<{ keys?: string; value?: Value; error?: CallError; isLoading: boolean }>({
    isLoading: true,
  })
  const latest = useRef({ read, isStale })
  latest.current = { read, isStale }
  const running = useRef<AbortController | undefined>(undefined)
  const name = JSON.stringify(keys)

  const load = useCallback(() => {
    running.current?.abort()
    const abort = new AbortController()
    running.current = abort
    setAnswer((old) => ({ ...old, isLoading: true }))
    latest.current.read(abort.signal).then(
      (value) => {
        if (!abort.signal.aborted) setAnswer({ keys: name, value, isLoading: false })
      },
      (error: unknown) => {
        if (abort.signal.aborted) return
        const known = error instanceof CallError ? error : new CallError('offline', String(error), undefined)
        setAnswer((old) => ({ ...old, error: known, isLoading: false }))
      },
    )
  }, [name])

  useEffect(() => {
    load()
    return () => running.current?.abort()
  }, [load])

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let lastAt = 0
    const isHidden = () => document.visibilityState === 'hidden'
    const run = () => {
      timer = undefined
      lastAt = Date.now()
      load()
    }
    let isMissed = false
    const schedule = () => {
      if (isHidden()) isMissed = true
      else timer ??= setTimeout(run, Math.max(0, lastAt + everyMs - Date.now()))
    }
    const stop = onFrames((frames) => {
      const check = latest.current.isStale
      if (check !== undefined && frames.some(check)) schedule()
    })
    const onVisible = () => {
      if (!isMissed || isHidden()) return
      isMissed = false
      schedule()
    }
    document.addEventListener('visibilitychange', onVisible)
    return () => {
      stop()
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', onVisible)
    }
  }, [load, everyMs])

  // What failed while the daemon was away is read again when it is back.
  const hasFailed = answer.error !== undefined
  useEffect(() => {
    if (!hasFailed) return
    let before = readLiveState().status
    return onLiveState(() => {
      const { status } = readLiveState()
      if (before === 'away' && status === 'live') load()
      before = status
    })
  }, [hasFailed, load])

  const isCurrent = answer.keys === name
  return {
    value: isCurrent ? answer.value : undefined,
    error: answer.error,
    isLoading: answer.isLoading || (!isCurrent && answer.error === undefined),
    reload: load,
  }
}
