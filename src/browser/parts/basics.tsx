import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { CallError } from '../data/call.ts'
import { formatAge, formatExact, formatNumber } from './format.ts'

const tickers = new Set<() => void>()
setInterval(() => {
  if (document.visibilityState === 'visible') for (const tick of tickers) tick()
}, 15_000)

/** How long ago, with the exact moment on hover and for a screen reader. */
export function Time({ at }: { readonly at: string }) {
  const [, setTick] = useState(0)
  useEffect(() => {
    const tick = () => setTick((count) => count + 1)
    tickers.add(tick)
    return () => tickers.delete(tick)
  }, [])
  return (
    <time dateTime={at} title={formatExact(at)}>
      {formatAge(at, Date.now())}
    </time>
  )
}

export function PageHead(props: {
  readonly title: ComponentChildren
  readonly lead?: ComponentChildren
  readonly children?: ComponentChildren
}) {
  return (
    <div class="page-head">
      <div>
        <h1 tabIndex={-1} id="page-title">
          {props.title}
        </h1>
        {props.lead !== undefined && <p class="lead">{props.lead}</p>}
      </div>
      {props.children !== undefined && <div class="page-actions">{props.children}</div>}
    </div>
  )
}

export function Panel(props: {
  readonly title?: ComponentChildren
  readonly note?: ComponentChildren
  readonly actions?: ComponentChildren
  readonly class?: string
  readonly children: ComponentChildren
}) {
  return (
    <section class={`panel ${props.class ?? ''}`}>
      {props.title !== undefined && (
        <header class="panel-head">
          <h2>{props.title}</h2>
          {props.actions}
        </header>
      )}
      {props.note !== undefined && <p class="note">{props.note}</p>}
      {props.children}
    </section>
  )
}

export const Icon = ({ path }: { readonly path: string }) => (
  <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
    <path d={path} />
  </svg>
)

/** Nothing is here, and what to do about it. */
export function EmptyState(props: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{props.title}</h2>
      {props.children}
    </div>
  )
}

export function Problem({ error, retry }: { readonly error: CallError; readonly retry?: () => void }) {
  return (
    <div class="problem" role="alert">
      <strong>{error.message}</strong>
      {error.hint !== undefined && <p>{error.hint}</p>}
      {retry !== undefined && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  )
}

export function Loading({ rows = 4 }: { readonly rows?: number }) {
  return (
    <div class="loading" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        <div class="loading-row" key={row} />
      ))}
    </div>
  )
}

/** The state of a query: its value, loading, or its error. */
export function Loaded<Value>(props: {
  readonly query: {
    readonly value: Value | undefined
    readonly error: CallError | undefined
    readonly reload: () => void
  }
  readonly children: (value: Value) => ComponentChildren
}) {
  const { value, error, reload } = props.query
  if (value !== undefined)
    return (
      <>
        {error !== undefined && <Problem error={error} retry={reload} />}
        {props.children(value)}
      </>
    )
  return error === undefined ? <Loading /> : <Problem error={error} retry={reload} />
}

export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'quiet'

export function Badge(props: { readonly tone?: Tone; readonly title?: string; readonly children: ComponentChildren }) {
  return (
    <span class={`badge ${props.tone ?? 'quiet'}`} title={props.title}>
      {props.children}
    </span>
  )
}

export function Figure(props: {
  readonly label: string
  readonly value: ComponentChildren
  readonly note?: ComponentChildren
}) {
  return (
    <div class="figure">
      <div class="figure-label">{props.label}</div>
      <div class="figure-value">{typeof props.value === 'number' ? formatNumber(props.value) : props.value}</div>
      {props.note !== undefined && <div class="figure-note">{props.note}</div>}
    </div>
  )
}

export function Meter(props: { readonly value: number; readonly max: number; readonly label: string }) {
  const share = props.max <= 0 ? 0 : Math.min(1, props.value / props.max)
  const tone = share > 0.9 ? 'bad' : share > 0.75 ? 'warn' : 'good'
  return (
    <div class="meter" role="img" aria-label={props.label} title={props.label}>
      <div class={`meter-fill ${tone}`} style={{ width: `${(share * 100).toFixed(1)}%` }} />
    </div>
  )
}

export function CopyButton(props: {
  /** Or what gives it when the button is pressed. */
  readonly text: string | (() => string)
  readonly label: string
  readonly class?: string
  readonly title?: string
}) {
  const { text, label } = props
  const [state, setState] = useState<'ready' | 'copied' | 'failed'>('ready')
  const copy = () => {
    navigator.clipboard.writeText(typeof text === 'string' ? text : text()).then(
      () => setState('copied'),
      () => setState('failed'),
    )
    setTimeout(() => setState('ready'), 2_000)
  }
  return (
    <button
      type="button"
      class={props.class ?? 'small'}
      onClick={copy}
      title={props.title ?? (typeof text === 'string' ? text.slice(0, 300) : undefined)}
    >
      {state === 'ready' ? label : state === 'copied' ? 'Copied' : 'Copying was refused'}
    </button>
  )
}

const PIECE = 20_000

/** A text of any length: the beginning, and the next piece on request. */
export function LongText({ text, first = 3_000 }: { readonly text: string; readonly first?: number }) {
  const [shown, setShown] = useState(first)
  const pieces: string[] = []
  for (let from = 0; from < Math.min(shown, text.length); from += PIECE)
    pieces.push(text.slice(from, Math.min(from + PIECE, shown)))
  return (
    <div class="long-text">
      <pre dir="auto" tabIndex={0}>
        {pieces.map((piece, at) => (
          <span key={at}>{piece}</span>
        ))}
      </pre>
      {text.length > shown && (
        <button type="button" class="small" onClick={() => setShown(shown + PIECE * 5)}>
          Show more ({formatNumber(text.length - shown)} characters are left)
        </button>
      )}
    </div>
  )
}
