import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { CallError } from './call.ts'
import { type Frame, onFrames } from './live.ts'

/** One page of a list, newest first, and the cursor of the next. */
export interface ListPage<Row> {
  readonly rows: readonly Row[]
  readonly next?: string | undefined
}

export interface PagedList<Row> {
  readonly rows: readonly Row[]
  readonly hasMore: boolean
  readonly isLoading: boolean
  readonly error: CallError | undefined
  /** Rows were added since the list was read. */
  readonly hasNew: boolean
  readonly loadMore: () => void
  readonly reload: () => void
}

interface ListState<Row> {
  readonly name: string
  readonly rows: readonly Row[]
  readonly next?: string | undefined
  readonly isDone: boolean
  readonly isLoading: boolean
  readonly error?: CallError | undefined
}

/** Pixels from the top of the page within which the first rows count as visible. */
const NEAR_TOP = 40
const RELOAD_MS = 1_000

/** A row that moved to the top while the list was read comes once more; it stays where it was. */
function appendNew<Row>(rows: readonly Row[], more: readonly Row[]): readonly Row[] {
  const readId = (row: Row): unknown => Object(row).id ?? Object(row).seq ?? row
  const known = new Set(rows.map(readId))
  return [...rows, ...more.filter((row) => !known.has(readId(row)))]
}

/**
 * A list that is read page by page. New rows do not move what a person reads: the list says that there are some; only at
 * its top, and while no row is marked, is it read again.
 */
export function usePages<Row>(
  read: (cursor: string | undefined, signal: AbortSignal) => Promise<ListPage<Row>>,
  keys: readonly unknown[],
  isStale?: (frame: Frame) => boolean,
): PagedList<Row> {
  const name = JSON.stringify(keys)
  const empty: ListState<Row> = { name, rows: [], isDone: false, isLoading: false }
  const [list, setList] = useState(empty)
  const [hasNew, setHasNew] = useState(false)
  const latest = useRef({ read, list, isStale })
  latest.current = { read, list, isStale }
  const running = useRef<AbortController | undefined>(undefined)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)

  const load = useCallback(
    (cursor: string | undefined) => {
      running.current?.abort()
      const abort = new AbortController()
      running.current = abort
      setList((old) => ({ ...(old.name === name ? old : empty), isLoading: true, error: undefined }))
      latest.current.read(cursor, abort.signal).then(
        ({ rows, next }) => {
          if (abort.signal.aborted) return
          if (cursor === undefined) setHasNew(false)
          setList((old) => ({
            name,
            rows: cursor === undefined ? rows : appendNew(old.rows, rows),
            next,
            isDone: next === undefined,
            isLoading: false,
          }))
        },
        (error: unknown) => {
          if (abort.signal.aborted) return
          const known = error instanceof CallError ? error : new CallError('offline', String(error), undefined)
          setList((old) => ({ ...old, isLoading: false, isDone: true, error: known }))
        },
      )
    },
    [name],
  )

  useEffect(() => {
    load(undefined)
    return () => running.current?.abort()
  }, [load])

  useEffect(
    () =>
      onFrames((frames) => {
        const { isStale: check } = latest.current
        if (check === undefined || !frames.some(check)) return
        if (scrollY > NEAR_TOP || document.querySelector('main input:checked') !== null) return setHasNew(true)
        timer.current ??= setTimeout(() => {
          timer.current = undefined
          load(undefined)
        }, RELOAD_MS)
      }),
    [load],
  )
  useEffect(() => () => clearTimeout(timer.current), [])

  const current = list.name === name ? list : { ...empty, isLoading: true }
  return {
    rows: current.rows,
    hasMore: !current.isDone,
    isLoading: current.isLoading,
    error: current.error,
    hasNew,
    loadMore: () => {
      if (!current.isLoading && !current.isDone && current.next !== undefined) load(current.next)
    },
    reload: () => load(undefined),
  }
}
