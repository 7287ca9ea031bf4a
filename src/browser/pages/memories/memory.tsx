import { Fragment } from 'preact'
import { useState } from 'preact/hooks'
import type { Memory } from '../../../kernel/memory.ts'
import { go, link } from '../../nav/router.ts'
import { get, post } from '../../data/call.ts'
import type { MemoryReply } from '../../data/contract.ts'
import { useQuery } from '../../data/use-query.ts'
import { Badge, Loaded, LongText, PageHead, Panel, Time } from '../../parts/basics.tsx'
import { askFirst } from '../../parts/confirm.tsx'
import { describeSource, describeUse, formatType, plural } from '../../parts/format.ts'

const STATES = { unchanged: 'good', changed: 'warn', missing: 'bad', unknown: 'quiet' } as const

function SourceEvent({ memory, seq }: { readonly memory: Memory; readonly seq: number }) {
  const [harness, ...key] = memory.sessionId?.split('/') ?? []
  if (key.length === 0) return <>#{seq}</>
  return <a href={link(['sessions', key.join('/')], { harness, event: seq })}>#{seq}</a>
}

function Editor({ memory, cwd }: { readonly memory: Memory; readonly cwd: string | undefined }) {
  const [content, setContent] = useState(memory.content)
  const isPinned = memory.tags.includes('pinned')
  const change = async (body: object) => {
    const { memory: changed } = await post<{ memory: Memory }>('/api/memories/:id', { cwd, ...body }, { id: memory.id })
    if (changed.id === memory.id) location.reload()
    else go(link(['memories', changed.id], { cwd }), 'replace')
  }
  const forget = () =>
    askFirst({
      title: 'Forget this memory?',
      text: <p>It is no longer found or injected. You can undo it for seven days.</p>,
      action: 'Forget',
      run: async () => {
        await post('/api/memory-sets/forget', { cwd, ids: [memory.id] })
        go(link(['memories'], { cwd }))
      },
    })
  return (
    <Panel title="Content" note="A changed text supersedes this memory; the old text stays in its history.">
      <label class="field">
        Text
        <textarea value={content} onInput={(event) => setContent(event.currentTarget.value)} />
      </label>
      <div class="page-actions">
        <button
          type="button"
          class="primary"
          disabled={content.trim() === '' || content === memory.content}
          onClick={() => void change({ content })}
        >
          Save the new text
        </button>
        <button type="button" aria-pressed={isPinned} onClick={() => void change({ isPinned: !isPinned })}>
          {isPinned ? 'Unpin' : 'Pin'}
        </button>
        <button type="button" class="danger" onClick={forget}>
          Forget…
        </button>
      </div>
    </Panel>
  )
}

export function MemoryPage({ id, cwd }: { readonly id: string; readonly cwd: string | undefined }) {
  const query = useQuery((signal) => get<MemoryReply>('/api/memories/:id', { id, cwd }, signal), [id, cwd])
  return (
    <>
      <p class="crumbs">
        <a href={link(['memories'])}>Memories</a>
      </p>
      <Loaded query={query}>
        {({ memory, checks, history }) => (
          <>
            <PageHead
              title={`A ${formatType(memory.type)}`}
              lead={
                <>
                  Importance {memory.importance} of 10, {describeSource(memory.source)}, <Time at={memory.createdAt} />,{' '}
                  {describeUse(memory.hits)}
                </>
              }
            />
            <Editor key={memory.id} memory={memory} cwd={cwd} />
            <div class="grid">
              <Panel title="Whether what it names still holds">
                {checks.length === 0 && <p class="note">It names no file, symbol or commit.</p>}
                <ul class="plain-list">
                  {checks.map(({ anchor, state }) => (
                    <li key={`${anchor.kind} ${anchor.name}`}>
                      <Badge tone={STATES[state]}>{state}</Badge> {anchor.kind} <span class="mono">{anchor.name}</span>
                    </li>
                  ))}
                </ul>
              </Panel>
              <Panel title="Evidence">
                {memory.evidence === undefined ? (
                  <p class="note">Somebody stated it; it was not detected from events.</p>
                ) : (
                  <dl class="facts">
                    <dt>Command</dt>
                    <dd class="mono">{memory.evidence.command}</dd>
                    <dt>Failed</dt>
                    <dd>{plural(memory.evidence.failures, 'time')}</dd>
                    {memory.evidence.error !== undefined && (
                      <>
                        <dt>Error</dt>
                        <dd>{memory.evidence.error}</dd>
                      </>
                    )}
                    <dt>Events</dt>
                    <dd>
                      {memory.evidence.seqs.map((seq) => (
                        <Fragment key={seq}>
                          <SourceEvent memory={memory} seq={seq} />{' '}
                        </Fragment>
                      ))}
                    </dd>
                  </dl>
                )}
                <p class="quiet-text">{memory.tags.length > 0 && `Tags: ${memory.tags.join(', ')}`}</p>
              </Panel>
            </div>
            {history.length > 0 && (
              <Panel title="Earlier versions">
                {history.map((old) => (
                  <div key={old.id}>
                    <Time at={old.createdAt} />
                    <LongText text={old.content} />
                  </div>
                ))}
              </Panel>
            )}
          </>
        )}
      </Loaded>
    </>
  )
}
