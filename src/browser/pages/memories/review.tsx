import { useState } from 'preact/hooks'
import { get, post } from '../../data/call.ts'
import type { DraftRow } from '../../data/contract.ts'
import { useQuery } from '../../data/use-query.ts'
import { Badge, EmptyState, Loaded, Panel, Time } from '../../parts/basics.tsx'
import { describeSource, formatType } from '../../parts/format.ts'

function Draft({ draft, done }: { readonly draft: DraftRow; readonly done: () => void }) {
  const [content, setContent] = useState(draft.memory.content)
  const decide = async (action: 'approve' | 'reject') => {
    const reworded = content === draft.memory.content ? {} : { content }
    await post('/api/memory-drafts/:id', { action, ...reworded }, { id: draft.memory.id })
    done()
  }
  return (
    <Panel
      title={
        <>
          <Badge>{formatType(draft.memory.type)}</Badge> {describeSource(draft.memory.source)}, <Time at={draft.at} />
        </>
      }
    >
      <label class="field">
        Proposed memory
        <textarea value={content} onInput={(event) => setContent(event.currentTarget.value)} />
      </label>
      <div class="page-actions">
        <button type="button" class="primary" data-nav onClick={() => void decide('approve')}>
          {content === draft.memory.content ? 'Approve' : 'Approve the reworded text'}
        </button>
        <button type="button" onClick={() => void decide('reject')}>
          Reject
        </button>
      </div>
    </Panel>
  )
}

/** Memories that were proposed and wait for a person. */
export function Review({ cwd }: { readonly cwd: string }) {
  const query = useQuery(
    async (signal) =>
      (await get<{ drafts: readonly DraftRow[] }>('/api/memory-drafts', { cwd, states: 'proposed' }, signal)).drafts,
    [cwd],
    { isStale: ({ kind }) => kind === 'memory' },
  )
  return (
    <Loaded query={query}>
      {(drafts) =>
        drafts.length === 0 ? (
          <EmptyState title="The inbox is empty">
            <p>
              With <code>memory.review = inbox</code>, what agents want to remember waits here until you approve, reword
              or reject it. Without it, memories apply at once.
            </p>
          </EmptyState>
        ) : (
          <>
            {drafts.map((draft) => (
              <Draft key={draft.memory.id} draft={draft} done={query.reload} />
            ))}
          </>
        )
      }
    </Loaded>
  )
}
