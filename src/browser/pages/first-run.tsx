import { get } from '../data/call.ts'
import { useQuery } from '../data/use-query.ts'
import { link } from '../nav/router.ts'
import { CopyButton, Figure, Loaded, PageHead, Panel } from '../parts/basics.tsx'

interface StoredCounts {
  readonly counts: { readonly sessions: number; readonly events: number; readonly checkpoints: number }
}

const STEPS = [
  [
    'holdfast import',
    'reads the transcripts, removes secrets, and stores their sessions; what was imported before is skipped',
  ],
  ['holdfast sessions list', 'lists what was imported'],
] as const

export function Page() {
  const query = useQuery(async (signal) => (await get<StoredCounts>('/api/counts', {}, signal)).counts, [], {
    isStale: ({ kind }) => kind !== 'position',
    everyMs: 500,
  })
  return (
    <>
      <PageHead
        title="Import history"
        lead="Your harnesses wrote transcripts before Holdfast was installed. Import them, and the next session knows what they did."
      />
      <Panel title="In a terminal" note="The figures below grow while it runs.">
        <ol class="plain-list">
          {STEPS.map(([command, meaning]) => (
            <li key={command} class="row-main">
              <span class="row-title-wrap">
                <code>{command}</code> {meaning}
              </span>
              <CopyButton text={command} label="Copy" />
            </li>
          ))}
        </ol>
      </Panel>
      <Loaded query={query}>
        {(counts) => (
          <div class="figures">
            <Figure label="Sessions" value={counts.sessions} />
            <Figure label="Events" value={counts.events} />
            <Figure label="Checkpoints" value={counts.checkpoints} />
          </div>
        )}
      </Loaded>
      <Panel title="Afterwards">
        <p>
          <a href={link(['start'])}>See what the next session would be given</a>, and why.
        </p>
      </Panel>
    </>
  )
}
