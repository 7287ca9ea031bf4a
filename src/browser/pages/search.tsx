import { useEffect, useRef, useState } from 'preact/hooks'
import type { HistoryHit } from '../../kernel/agent-records.ts'
import { get } from '../data/call.ts'
import type { ProjectRow } from '../data/contract.ts'
import { useQuery } from '../data/use-query.ts'
import { link, setParams, type PageProps } from '../nav/router.ts'
import { Badge, EmptyState, Loaded, PageHead, Panel, Time } from '../parts/basics.tsx'
import { formatNumber, formatProject } from '../parts/format.ts'

interface FoundHit extends HistoryHit {
  readonly project: string
  readonly cwd: string
}

/** The text with the words that were searched marked; no markup of the text itself is interpreted. */
function Marked({ text, words }: { readonly text: string; readonly words: readonly string[] }) {
  const known = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  if (known.length === 0) return <>{text}</>
  const parts = text.split(new RegExp(`(${known.join('|')})`, 'gi'))
  return <>{parts.map((part, at) => (at % 2 === 1 ? <mark key={at}>{part}</mark> : part))}</>
}

function toHref({ kind, id, cwd }: FoundHit): string | undefined {
  if (kind === 'memory') return link(['memories', id], { cwd })
  return kind === 'checkpoint' ? link(['checkpoints', id]) : undefined
}

/** The selected project, else every project that is known, best first. */
async function search(q: string, cwd: string | undefined, signal: AbortSignal): Promise<readonly FoundHit[]> {
  const { projects } = await get<{ projects: readonly ProjectRow[] }>('/api/projects', {}, signal)
  const chosen = projects.filter(({ worktrees }) => cwd === undefined || worktrees.includes(cwd)).slice(0, 20)
  const lists = await Promise.all(
    chosen.map(async ({ project, worktrees: [folder = ''] }) => {
      const input = { q, cwd: cwd ?? folder, limit: 50 }
      const { hits } = await get<{ hits: readonly HistoryHit[] }>('/api/history/search', input, signal)
      return hits.map((hit) => ({ ...hit, project, cwd: cwd ?? folder }))
    }),
  )
  return lists.flat().toSorted((a, b) => b.score - a.score)
}

function Hit({ hit, words }: { readonly hit: FoundHit; readonly words: readonly string[] }) {
  const href = toHref(hit)
  const text = `${hit.title} ${hit.excerpt}`.toLowerCase()
  const matched = words.filter((word) => text.includes(word.toLowerCase()))
  return (
    <li class="hit">
      <div class="row-main">
        <Badge tone="info">{hit.kind}</Badge>
        {href === undefined ? (
          <strong>{hit.title}</strong>
        ) : (
          <a data-nav href={href}>
            {hit.title === '' ? hit.id : hit.title}
          </a>
        )}
        {hit.at !== undefined && (
          <span class="row-end">
            <Time at={hit.at} />
          </span>
        )}
      </div>
      <p class="excerpt">
        <Marked text={hit.excerpt} words={words} />
      </p>
      <div class="row-sub">
        <span>{formatProject(hit.project)}</span>
        <span class="cut">{matched.length === 0 ? 'similar in meaning' : `matched: ${matched.join(', ')}`}</span>
      </div>
    </li>
  )
}

function Facets(props: {
  readonly name: 'kind' | 'project'
  readonly hits: readonly FoundHit[]
  readonly chosen: string
}) {
  const { name, hits, chosen } = props
  const counts = new Map<string, number>()
  for (const hit of hits) counts.set(hit[name], (counts.get(hit[name]) ?? 0) + 1)
  return (
    <Panel title={name === 'kind' ? 'Kind' : 'Project'}>
      <ul class="plain-list">
        {[...counts].map(([value, count]) => (
          <li key={value}>
            <button
              type="button"
              class="facet"
              aria-pressed={chosen === value}
              onClick={() => setParams({ [name]: chosen === value ? undefined : value })}
            >
              <span class="cut">{formatProject(value)}</span> <span class="quiet-text">{formatNumber(count)}</span>
            </button>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

export function Page({ place, cwd }: PageProps) {
  const { params } = place
  const q = params.get('q') ?? ''
  const [kind, project] = [params.get('kind') ?? '', params.get('project') ?? '']
  const words = q.split(/\s+/).filter((word) => word.length > 1)
  const [typed, setTyped] = useState(q)
  const box = useRef<HTMLInputElement>(null)
  useEffect(() => box.current?.focus(), [])
  useEffect(() => {
    const timer = setTimeout(() => typed !== q && setParams({ q: typed }), 250)
    return () => clearTimeout(timer)
  }, [typed])
  const query = useQuery(async (signal) => (q.trim() === '' ? [] : await search(q, cwd, signal)), [q, cwd])
  return (
    <>
      <PageHead title="Search" lead="One box over checkpoints, decisions, summaries and memories of every project." />
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
      {q.trim() === '' ? (
        <EmptyState title="Type what you remember of it">
          <p>A file name, a word of an error, a decision. Results say which words matched.</p>
        </EmptyState>
      ) : (
        <Loaded query={query}>
          {(hits) => {
            const shown = hits.filter(
              (hit) => (kind === '' || hit.kind === kind) && (project === '' || hit.project === project),
            )
            if (hits.length === 0)
              return (
                <EmptyState title="Nothing was found">
                  <p>Try fewer words, or another project.</p>
                </EmptyState>
              )
            return (
              <div class="search-results">
                <aside class="facets" aria-label="Narrow the results">
                  <Facets name="kind" hits={hits} chosen={kind} />
                  <Facets name="project" hits={hits} chosen={project} />
                </aside>
                <Panel>
                  <ol class="hits">
                    {shown.map((hit) => (
                      <Hit key={`${hit.kind} ${hit.id}`} hit={hit} words={words} />
                    ))}
                  </ol>
                </Panel>
              </div>
            )
          }}
        </Loaded>
      )}
    </>
  )
}
