import { useState } from 'preact/hooks'
import { link, type PageProps } from '../nav/router.ts'
import { get } from '../data/call.ts'
import type { HandoffReply, ProjectRow } from '../data/contract.ts'
import { readHandoff } from '../data/read-handoff.ts'
import { useQuery } from '../data/use-query.ts'
import { CopyButton, EmptyState, Figure, Loaded, LongText, PageHead, Panel, Time } from '../parts/basics.tsx'
import { formatNumber, formatProject, lastSegment, plural } from '../parts/format.ts'
import { HandoffLines, VerdictBadge } from '../parts/handoff-lines.tsx'

const TITLE = 'If a session started here now'
const LEAD =
  'The handoff exactly as the next session would get it. Each line was checked against disk and git a moment ago; open a line to see why it was chosen and which part of the checkpoint it comes from.'

/** How many lines have each verdict. */
function countVerdicts(lines: HandoffReply['lines']): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>()
  for (const { reason } of lines)
    if (reason?.verdict !== undefined) counts.set(reason.verdict, (counts.get(reason.verdict) ?? 0) + 1)
  return ['holds', 'changed', 'gone', 'cannot-tell'].flatMap((name) => {
    const count = counts.get(name)
    return count === undefined ? [] : [[name, count] as const]
  })
}

function LeftOut({ handoff }: { readonly handoff: HandoffReply }) {
  if (handoff.leftOutCount === 0)
    return (
      <Panel title="What did not fit">
        <p class="note">Everything fitted.</p>
      </Panel>
    )
  return (
    <Panel
      title={`What did not fit (${formatNumber(handoff.leftOutCount)})`}
      note={
        <>
          Not injected. An agent gets it when it calls <code>checkpoint_resume</code>.
        </>
      }
    >
      <LongText text={handoff.leftOutText} />
    </Panel>
  )
}

function Handoff({ handoff }: { readonly handoff: HandoffReply }) {
  const [isExact, setExact] = useState(false)
  const verdicts = countVerdicts(handoff.lines)
  return (
    <>
      <div class="figures">
        <Figure
          label="Would be injected"
          value={`${formatNumber(handoff.chars)} characters`}
          note={`about ${formatNumber(Math.ceil(handoff.chars / 4))} tokens`}
        />
        <Figure
          label="Made from"
          value={plural(handoff.sources.length, 'checkpoint')}
          note={
            handoff.sources[0] === undefined
              ? lastSegment(handoff.cwd)
              : `${formatProject(handoff.sources[0].project)}, branch ${handoff.sources[0].branch ?? 'unknown'}`
          }
        />
        <Figure
          label="Checked against disk and git"
          value={formatNumber(verdicts.reduce((sum, [, count]) => sum + count, 0))}
          note={
            verdicts.length === 0
              ? 'no line names something that can be checked'
              : verdicts.map(([name, count]) => (
                  <span class="verdict-count" key={name}>
                    {count} <VerdictBadge verdict={name} />
                  </span>
                ))
          }
        />
      </div>
      {handoff.text === '' ? (
        <EmptyState title="Nothing would be injected">
          <p>
            {handoff.why[0]?.reason ?? 'There is no unfinished work in this folder.'} A checkpoint is made after ten
            prompts, fifteen minutes of work, a compaction, or at the end of a session.
          </p>
        </EmptyState>
      ) : (
        <Panel
          title="The handoff"
          actions={
            <span class="page-actions">
              <button type="button" class="small" aria-pressed={isExact} onClick={() => setExact(!isExact)}>
                {isExact ? 'Show line by line' : 'Show the exact text'}
              </button>
              <CopyButton text={handoff.text} label="Copy" />
            </span>
          }
        >
          {isExact ? <LongText text={handoff.text} first={60_000} /> : <HandoffLines lines={handoff.lines} />}
        </Panel>
      )}
      <div class="grid">
        <LeftOut handoff={handoff} />
        <Panel title="Which work was chosen">
          {handoff.sources.length === 0 && <p class="note">No checkpoint is used.</p>}
          <ul class="plain-list">
            {handoff.sources.map((head) => (
              <li key={head.id}>
                <a data-nav href={link(['checkpoints', head.id])}>
                  {head.summary === '' ? head.id : head.summary}
                </a>
                <div class="quiet-text">
                  {head.harness}, {head.branch ?? 'no branch'}, <Time at={head.createdAt} />
                </div>
              </li>
            ))}
            {handoff.why.map(({ line, reason }, at) => (
              <li key={at}>
                <span class="quiet-text">{line === '' ? reason : `${line}: ${reason}`}</span>
              </li>
            ))}
          </ul>
          {handoff.offered.length > 0 && (
            <p class="note">
              Work in other worktrees of this project is mentioned, not injected:{' '}
              {handoff.offered.map(({ worktree }) => worktree).join(', ')}
            </p>
          )}
        </Panel>
      </div>
    </>
  )
}

export function Page({ cwd }: PageProps) {
  const projects = useQuery((signal) => get<{ projects: readonly ProjectRow[] }>('/api/projects', {}, signal), [])
  const folder = cwd ?? projects.value?.projects[0]?.worktrees[0]
  const query = useQuery(
    async (signal) => (folder === undefined ? undefined : await readHandoff(folder, signal)),
    [folder],
    { isStale: ({ kind }) => kind === 'checkpoint' || kind === 'event', everyMs: 5_000 },
  )
  return (
    <>
      <PageHead title={TITLE} lead={LEAD}>
        <button type="button" onClick={query.reload}>
          Check again
        </button>
      </PageHead>
      {folder !== undefined && (
        <p class="where">
          <span class="quiet-text">Folder</span> <code>{folder}</code>
          {cwd === undefined && <span class="quiet-text"> (the latest; choose another project above)</span>}
        </p>
      )}
      {folder === undefined && projects.value !== undefined ? (
        <EmptyState title="No project has been seen yet">
          <p>
            Connect a harness with <code>holdfast init</code> and start it in a project, or{' '}
            <a href={link(['first-run'])}>import the sessions</a> that you had before.
          </p>
        </EmptyState>
      ) : (
        <Loaded query={query}>{(handoff) => handoff !== undefined && <Handoff handoff={handoff} />}</Loaded>
      )}
    </>
  )
}
