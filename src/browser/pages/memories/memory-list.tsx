import { useState } from 'preact/hooks'
import { MEMORY_SCOPES, MEMORY_TYPES, PINNED_TAG, type Memory } from '../../../kernel/memory.ts'
import { get, post } from '../../data/call.ts'
import { usePages } from '../../data/use-pages.ts'
import { link, setParams, type PageProps } from '../../nav/router.ts'
import { Badge, EmptyState, Time } from '../../parts/basics.tsx'
import { askFirst } from '../../parts/confirm.tsx'
import { describeSource, describeUse, formatNumber, formatType, plural } from '../../parts/format.ts'
import { toOneLine } from '../../parts/inert-text.ts'
import { VirtualList } from '../../parts/virtual-list.tsx'

const PAGE_LIMIT = 100
/** The longest text that a memory may have. */
const MAX_CHARS = 20_000

const SCOPES = { me: 'yours, every project', project: 'this project', team: 'shared with the team' } as const

interface Forgotten {
  readonly ids: readonly string[]
  readonly cwd: string
}

export function MemoryList({ cwd, place }: { readonly cwd: string; readonly place: PageProps['place'] }) {
  const types = place.params.get('type') ?? ''
  const scope = place.params.get('scope') ?? ''
  const q = place.params.get('q') ?? ''
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set())
  const [undo, setUndo] = useState<Forgotten | undefined>()
  const list = usePages<Memory>(
    async (cursor, signal) => {
      if (q.trim() !== '') {
        const reply = await get<{ hits: readonly { memory: Memory }[] }>(
          '/api/memories/search',
          { cwd, types, scope, q, limit: 100 },
          signal,
        )
        return { rows: reply.hits.map(({ memory }) => memory) }
      }
      const input = { cwd, types, scope, afterMemory: cursor, limit: PAGE_LIMIT }
      const { memories } = await get<{ memories: readonly Memory[] }>('/api/memories', input, signal)
      return { rows: memories, next: memories.length < PAGE_LIMIT ? undefined : memories.at(-1)?.id }
    },
    [cwd, types, scope, q],
    ({ kind }) => kind === 'memory',
  )
  const toggle = (id: string) => {
    const next = new Set(marked)
    if (!next.delete(id)) next.add(id)
    setMarked(next)
  }
  const isAllMarked = list.rows.length > 0 && marked.size === list.rows.length
  const forget = () =>
    askFirst({
      title: `Forget ${plural(chosen.length, 'memory', 'memories')}?`,
      text: <p>They are no longer found or injected. You can undo it for seven days.</p>,
      action: 'Forget',
      run: async () => {
        const ids = chosen.map(({ id }) => id)
        await post('/api/memory-sets/forget', { cwd, ids })
        setUndo({ ids, cwd })
        setMarked(new Set())
        list.reload()
      },
    })
  const chosen = list.rows.filter(({ id }) => marked.has(id))
  const merge = () => {
    const [newest, ...others] = chosen
    if (newest === undefined) return
    let content = chosen.map((memory) => memory.content).join('\n')
    askFirst({
      title: `Merge ${plural(chosen.length, 'memory', 'memories')}?`,
      text: (
        <>
          <p>One memory with this text supersedes the newest of them; the others are forgotten.</p>
          <label class="field">
            Text of the merged memory
            <textarea
              defaultValue={content}
              maxLength={MAX_CHARS}
              onInput={(event) => {
                content = event.currentTarget.value
              }}
            />
          </label>
        </>
      ),
      action: 'Merge',
      run: async () => {
        await post('/api/memories/:id', { cwd, content }, { id: newest.id })
        const ids = others.map(({ id }) => id)
        await post('/api/memory-sets/forget', { cwd, ids })
        setUndo({ ids, cwd })
        setMarked(new Set())
        list.reload()
      },
    })
  }
  const pin = async () => {
    const isPinned = !chosen.every(({ tags }) => tags.includes(PINNED_TAG))
    for (const { id } of chosen) await post('/api/memories/:id', { cwd, isPinned }, { id })
    setMarked(new Set())
    list.reload()
  }
  const restore = async () => {
    if (undo !== undefined) await post('/api/memory-sets/restore', { ids: undo.ids })
    setUndo(undefined)
    list.reload()
  }
  return (
    <>
      <div class="filters">
        <input
          type="search"
          aria-label="Search the memories"
          placeholder="Search the memories"
          value={q}
          onChange={(event) => setParams({ q: event.currentTarget.value })}
        />
        <label>
          Type{' '}
          <select value={types} onChange={(event) => setParams({ type: event.currentTarget.value })}>
            <option value="">all</option>
            {MEMORY_TYPES.map((type) => (
              <option key={type} value={type}>
                {formatType(type)}
              </option>
            ))}
          </select>
        </label>
        <label>
          Scope{' '}
          <select value={scope} onChange={(event) => setParams({ scope: event.currentTarget.value })}>
            <option value="">all</option>
            {MEMORY_SCOPES.map((one) => (
              <option key={one} value={one}>
                {SCOPES[one]}
              </option>
            ))}
          </select>
        </label>
        <button
          type="button"
          disabled={list.rows.length === 0}
          onClick={() => setMarked(new Set(isAllMarked ? [] : list.rows.map(({ id }) => id)))}
        >
          {isAllMarked ? 'Unmark all' : 'Mark all that are listed'}
        </button>
        {undo !== undefined && (
          <span class="undo" role="status">
            {plural(undo.ids.length, 'memory', 'memories')} forgotten.{' '}
            <button type="button" class="small" onClick={() => void restore()}>
              Undo
            </button>
          </span>
        )}
      </div>
      {chosen.length > 0 && (
        <div class="bulk" role="group" aria-label="What to do with the marked memories">
          <strong>{formatNumber(chosen.length)} marked</strong>
          <button type="button" onClick={() => void pin()}>
            {chosen.every(({ tags }) => tags.includes(PINNED_TAG)) ? 'Unpin' : 'Pin'}
          </button>
          <button type="button" disabled={chosen.length < 2} onClick={merge}>
            Merge…
          </button>
          <button type="button" class="danger" onClick={forget}>
            Forget the marked ({chosen.length})
          </button>
          <button type="button" class="quiet" onClick={() => setMarked(new Set())}>
            Mark none
          </button>
        </div>
      )}
      <section class="panel flush">
        <VirtualList
          list={list}
          rowHeight={62}
          label="Memories"
          getKey={({ id }) => id}
          render={(memory) => (
            <div class="marked-row">
              <input
                type="checkbox"
                aria-label={`Mark: ${toOneLine(memory.content, 60)}`}
                checked={marked.has(memory.id)}
                onChange={() => toggle(memory.id)}
              />
              <a class="row-link" data-nav href={link(['memories', memory.id], { cwd })}>
                <div class="row-main">
                  <span class="row-title">{toOneLine(memory.content, 220)}</span>
                  {memory.tags.includes(PINNED_TAG) && <Badge tone="info">pinned</Badge>}
                  <span class="row-end">
                    <Time at={memory.createdAt} />
                  </span>
                </div>
                <div class="row-sub">
                  <Badge>{formatType(memory.type)}</Badge>
                  {memory.scope !== undefined && memory.scope !== 'project' && (
                    <Badge tone="info">{SCOPES[memory.scope]}</Badge>
                  )}
                  <span class="optional">importance {memory.importance}</span>
                  <span class="optional">{describeSource(memory.source)}</span>
                  <span class="optional">{describeUse(memory.hits)}</span>
                </div>
              </a>
            </div>
          )}
          empty={
            <EmptyState title={q + types + scope === '' ? 'No memory in this project' : 'No memory matches'}>
              <p>
                Agents remember decisions, preferences, facts and lessons; you can too:{' '}
                <code>holdfast remember "…"</code>.
              </p>
            </EmptyState>
          }
        />
      </section>
    </>
  )
}
