import { useEffect, useRef, useState } from 'preact/hooks'
import type { FindHit, FindResult } from '../../kernel/archive.ts'
import { toSessionId } from '../../kernel/id.ts'
import { get } from '../data/call.ts'
import { useQuery } from '../data/use-query.ts'
import { useTitles } from '../data/use-titles.ts'
import { link, setParams, type PageProps, type Place } from '../nav/router.ts'
import { Badge, CopyButton, EmptyState, Loaded, PageHead, Panel, Time } from '../parts/basics.tsx'
import { formatNumber, formatProject } from '../parts/format.ts'
import { SessionName } from '../parts/session-name.tsx'

const PAGE_LIMIT = 30
const FACETS = [
  ['kind', 'Kind'],
  ['project', 'Project'],
  ['harness', 'Harness'],
  ['month', 'Month'],
] as const
type Titles = ReturnType<typeof useTitles>
type FacetName = (typeof FACETS)[number][0]

/** The text with the words that matched marked; no markup of the text itself is interpreted. */
function Marked({ text, words }: { readonly text: string; readonly words: readonly string[] }) {
  const known = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  if (known.length === 0) return <>{text}</>
  const parts = text.split(new RegExp(`(${known.join('|')})`, 'gi'))
  return <>{parts.map((part, at) => (at % 2 === 1 ? <mark key={at}>{part}</mark> : part))}</>
}

function toHref({ kind, ref, project, session, harness }: FindHit): string | undefined {
  if (kind === 'memory') return link(['memories', ref], { cwd: project })
  if (kind === 'checkpoint') return link(['checkpoints', ref])
  return session === undefined ? undefined : link(['sessions', session], { harness, event: ref })
}

/** The first day of the month after `2026-10`. */
function nextMonth(month: string): string {
  const date = new Date(`${month}-01T00:00:00Z`)
  date.setUTCMonth(date.getUTCMonth() + 1)
  return date.toISOString().slice(0, 10)
}

function toInput({ params }: Place, cwd: string | undefined) {
  const month = params.get('month') ?? ''
  return {
    q: params.get('q')?.trim() ?? '',
    cwd,
    kinds: params.get('kind') ?? '',
    projectId: params.get('project') ?? '',
    harness: params.get('harness') ?? '',
    ...(month !== '' && { since: `${month}-01`, until: nextMonth(month) }),
  }
}

/** The session that a hit is of, by what it was about. */
function HitSession({ hit, titles }: { readonly hit: FindHit; readonly titles: Titles }) {
  const { kind, session, harness, title } = hit
  if (title !== undefined) return <>{title}</>
  if (session === undefined || harness === undefined) return <>{kind === 'memory' ? 'Open the memory' : 'Open it'}</>
  return <SessionName session={{ id: toSessionId(harness, session) }} titles={titles} />
}

function Hit({ hit, titles }: { readonly hit: FindHit; readonly titles: Titles }) {
  const href = toHref(hit)
  const title = <HitSession hit={hit} titles={titles} />
  return (
    <li class="hit">
      <div class="row-main">
        <Badge tone="info">{hit.kind}</Badge>
        {href === undefined ? (
          <strong>{title}</strong>
        ) : (
          <a data-nav href={href}>
            {title}
          </a>
        )}
        <span class="row-end">
          <Time at={hit.at} />
        </span>
      </div>
      <p class="excerpt">
        <Marked text={hit.text} words={hit.matched} />
      </p>
      <div class="row-sub">
        <span>{hit.project === '' ? 'unknown project' : formatProject(hit.project)}</span>
        {hit.harness !== undefined && <span>{hit.harness}</span>}
        <span class="cut">
          {hit.matched.length === 0 ? 'similar in meaning' : `matched: ${hit.matched.join(', ')}`}
        </span>
        {hit.reopen !== undefined && <CopyButton text={hit.reopen} label="Copy: reopen it there" />}
      </div>
    </li>
  )
}

function Facet(props: { readonly name: FacetName; readonly title: string; readonly found: FindResult; place: Place }) {
  const chosen = props.place.params.get(props.name) ?? ''
  const values = props.found.facets[props.name]
  if (values.length === 0) return null
  return (
    <Panel title={props.title}>
      <ul class="plain-list">
        {values.map(({ value, label, count }) => (
          <li key={value}>
            <button
              type="button"
              class="facet"
              aria-pressed={chosen === value}
              onClick={() => setParams({ [props.name]: chosen === value ? undefined : value, shown: undefined })}
            >
              <span class="cut">{formatProject(label)}</span> <span class="quiet-text">{formatNumber(count)}</span>
            </button>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

/** A decision is in the archive, and again in the checkpoint that holds it. */
function dropRepeats(hits: readonly FindHit[]): readonly FindHit[] {
  const seen = new Set<string>()
  return hits.filter(({ kind, session, text, ref }) => {
    const key = session === undefined ? ref : `${kind} ${session} ${text}`
    const isNew = !seen.has(key)
    seen.add(key)
    return isNew
  })
}

function Results({ found, place, shown }: { found: FindResult; readonly place: Place; readonly shown: number }) {
  const titles = useTitles(undefined)
  if (found.hits.length === 0)
    return (
      <EmptyState title="Nothing was found">
        <p>Try fewer words, another project, or fewer of the filters.</p>
        <button
          type="button"
          onClick={() => setParams({ kind: undefined, project: undefined, harness: undefined, month: undefined })}
        >
          Remove the filters
        </button>
      </EmptyState>
    )
  return (
    <div class="search-results">
      <aside class="facets" aria-label="Narrow the results">
        {FACETS.map(([name, title]) => (
          <Facet key={name} name={name} title={title} found={found} place={place} />
        ))}
      </aside>
      <Panel note={found.isComplete ? undefined : 'More texts match than were ranked: add a word or a filter.'}>
        <ol class="hits">
          {dropRepeats(found.hits).map((hit) => (
            <Hit key={`${hit.kind} ${hit.ref}`} hit={hit} titles={titles} />
          ))}
        </ol>
        {found.hits.length >= shown && shown < 100 && (
          <button type="button" onClick={() => setParams({ shown: Math.min(100, shown + PAGE_LIMIT) })}>
            Show more
          </button>
        )}
      </Panel>
    </div>
  )
}

export function Page({ place, cwd }: PageProps) {
  const input = toInput(place, cwd)
  const shown = Math.min(100, Number(place.params.get('shown') ?? PAGE_LIMIT) || PAGE_LIMIT)
  const [typed, setTyped] = useState(input.q)
  const box = useRef<HTMLInputElement>(null)
  useEffect(() => box.current?.focus(), [])
  useEffect(() => {
    const timer = setTimeout(() => typed.trim() !== input.q && setParams({ q: typed.trim(), shown: undefined }), 250)
    return () => clearTimeout(timer)
  }, [typed])
  const query = useQuery(
    async (signal) =>
      input.q === '' ? undefined : await get<FindResult>('/api/find', { ...input, limit: shown }, signal),
    [input, shown],
  )
  return (
    <>
      <PageHead
        title="Search"
        lead="One box over requests, answers, commands, edits, checkpoints, decisions and memories of every project."
      />
      <form role="search" class="search-box" onSubmit={(event) => event.preventDefault()}>
        <input
          ref={box}
          type="search"
          aria-label="Search everything"
          placeholder="What was decided about the retry limit?"
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      </form>
      {input.q === '' ? (
        <EmptyState title="Type what you remember of it">
          <p>A file name, a word of an error, a decision. Results say which words matched.</p>
        </EmptyState>
      ) : (
        <Loaded query={query}>
          {(found) => found !== undefined && <Results found={found} place={place} shown={shown} />}
        </Loaded>
      )}
    </>
  )
}
