import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { PagedList } from '../data/use-pages.ts'
import { Loading, Problem } from './basics.tsx'

const OVERSCAN = 8
/** Browsers limit the height of an element (about 33 million pixels in Chromium). */
const MAX_HEIGHT = 16_000_000

interface ListProps<Row> {
  readonly list: PagedList<Row>
  readonly rowHeight: number
  readonly label: string
  readonly getKey: (row: Row) => string | number
  readonly render: (row: Row, at: number) => ComponentChildren
  readonly href?: (row: Row) => string
  readonly empty: ComponentChildren
}

/** Renders only the rows in view, in the page's own scrolling; reads on when the end comes near. */
export function VirtualList<Row>(props: ListProps<Row>) {
  const { list, rowHeight, getKey, render, href } = props
  const root = useRef<HTMLDivElement>(null)
  const [range, setRange] = useState({ from: 0, to: 40 })
  const count = list.rows.length

  useLayoutEffect(() => {
    let frame = 0
    const measure = () => {
      frame = 0
      const top = root.current?.getBoundingClientRect().top ?? 0
      const from = Math.max(0, Math.floor(-top / rowHeight) - OVERSCAN)
      const to = Math.min(count, Math.max(from, Math.ceil((innerHeight - top) / rowHeight)) + OVERSCAN)
      setRange((old) => (old.from === from && old.to === to ? old : { from, to }))
    }
    const schedule = () => {
      frame ||= requestAnimationFrame(measure)
    }
    measure()
    addEventListener('scroll', schedule, { passive: true })
    addEventListener('resize', schedule)
    // What is above the list may grow and shrink.
    const observer = new ResizeObserver(schedule)
    observer.observe(document.body)
    return () => {
      observer.disconnect()
      cancelAnimationFrame(frame)
      removeEventListener('scroll', schedule)
      removeEventListener('resize', schedule)
    }
  }, [count, rowHeight])

  useEffect(() => {
    if (list.hasMore && !list.isLoading && range.to >= count - 30) list.loadMore()
  })

  if (count === 0) {
    if (list.error !== undefined) return <Problem error={list.error} retry={list.reload} />
    return list.isLoading || list.hasMore ? <Loading rows={8} /> : <>{props.empty}</>
  }
  const rows = list.rows.slice(range.from, range.to)
  return (
    <>
      {list.hasNew && (
        <button type="button" class="new-rows" onClick={list.reload}>
          There are new rows: show them
        </button>
      )}
      <div
        ref={root}
        class="rows"
        role="list"
        aria-label={props.label}
        style={{ height: `${Math.min(count * rowHeight, MAX_HEIGHT)}px` }}
      >
        {rows.map((row, index) => {
          const at = range.from + index
          const style = { transform: `translateY(${at * rowHeight}px)`, height: `${rowHeight}px` }
          return (
            <div
              role="listitem"
              class="row"
              key={getKey(row)}
              style={style}
              aria-posinset={at + 1}
              aria-setsize={list.hasMore ? -1 : count}
            >
              {href === undefined ? (
                render(row, at)
              ) : (
                <a class="row-link" data-nav href={href(row)}>
                  {render(row, at)}
                </a>
              )}
            </div>
          )
        })}
      </div>
      {list.error !== undefined && <Problem error={list.error} retry={list.loadMore} />}
      {list.isLoading && <Loading rows={1} />}
    </>
  )
}
