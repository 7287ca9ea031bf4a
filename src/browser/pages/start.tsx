import { useState } from 'preact/hooks'
import { link, type PageProps } from '../nav/router.ts'
import type { HandoffReply } from '../data/contract.ts'
import { readHandoff } from '../data/read-handoff.ts'
import { useFolder } from '../data/use-folder.ts'
import { useQuery } from '../data/use-query.ts'
import { Badge, CopyButton, EmptyState, Figure, Loaded, LongText, PageHead, Panel, Time } from '../parts/basics.tsx'
import { formatNumber, formatProject, lastSegment, plural, toSentence } from '../parts/format.ts'
import { HandoffLines, VerdictBadge } from '../parts/handoff-lines.tsx'

const TITLE = 'If a session started here now'
const LEAD =
  'The handoff exactly as the next session would get it. Files, branches and checks in it were compared with disk and git a moment ago. Open a line to see why it was chosen and the event that it comes from.'

/** How many parts of the lines have each verdict. */
function countVerdicts(lines: HandoffReply['lines']): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>()
  for (const { verdict } of lines.flatMap(({ reasons }) => reasons))
    if (verdict !== undefined) counts.set(verdict, (counts.get(verdict) ?? 0) + 1)
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

const SELECTIONS: Readonly<Record<string, string>> = {
  lineage: 'The session continues its own work.',
  'same-worktree-and-branch': 'The latest finished work in this folder, on this branch.',
  'same-worktree': 'The latest finished work in this folder, on another branch.',
}

/** Settings are named by what they are. */
const toWords = (reason: string): string =>
  reason.replace('continuity.recoveryWindowDays', 'the recovery window (continuity.recoveryWindowDays)')

/** Which sessions were considered, and why each was chosen or skipped. */
function Sources({ handoff: { sources, why, offered } }: { readonly handoff: HandoffReply }) {
  const [isOpen, setOpen] = useState(false)
  const selection = why.find(({ origin }) => origin === 'selection')?.reason
  const chosen = why.filter(({ origin }) => origin === 'chosen')
  const passed = why.filter(({ origin }) => origin !== 'chosen' && origin !== 'selection')
  const shown = isOpen ? passed : passed.slice(0, 3)
  return (
    <Panel title="Which work was chosen" note={selection && (SELECTIONS[selection] ?? selection)}>
      {sources.length === 0 && <p class="note">No checkpoint is used.</p>}
      <ul class="plain-list">
        {sources.map((head) => (
          <li key={head.id}>
            <a data-nav href={link(['checkpoints', head.id])}>
              {head.summary === '' ? head.id : head.summary}
            </a>
            <div class="quiet-text">
              {head.harness}, {head.branch ?? 'no branch'}, <Time at={head.createdAt} />
            </div>
          </li>
        ))}
        {chosen.map(({ reason }, at) => (
          <li key={`c${at}`}>
            <Badge tone="good">chosen</Badge> {toWords(reason)}
          </li>
        ))}
        {shown.map(({ line, origin, reason }, at) => (
          <li key={at}>
            <Badge>{origin}</Badge> {line === '' ? '' : `${line}: `}
            {toWords(reason)}
          </li>
        ))}
      </ul>
      {shown.length < passed.length && (
        <button type="button" class="small" onClick={() => setOpen(true)}>
          Show {passed.length - shown.length} more that were skipped
        </button>
      )}
      {offered.length > 0 && (
        <p class="note">
          Work in other worktrees of this project is mentioned, not injected:{' '}
          {offered.map(({ worktree }) => worktree).join(', ')}
        </p>
      )}
    </Panel>
  )
}

function Handoff({ handoff }: { readonly handoff: HandoffReply }) {
  const [isExact, setExact] = useState(false)
  const verdicts = countVerdicts(handoff.lines)
  if (handoff.text === '')
    return (
      <>
        <EmptyState title="Nothing would be injected">
          <p>{toSentence(handoff.why[0]?.reason ?? 'There is no unfinished work in this folder')}</p>
          <p>
            A handoff is made from checkpoints, and those after ten prompts, fifteen minutes of work, a compaction, or
            at the end of a session. <a href={link(['first-run'])}>Import</a> the sessions from before Holdfast to have
            one now.
          </p>
        </EmptyState>
        {handoff.why.length > 1 && <Sources handoff={handoff} />}
      </>
    )
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
        {isExact ? (
          <LongText text={handoff.text} first={60_000} />
        ) : (
          <HandoffLines lines={handoff.lines} sources={handoff.sources} />
        )}
      </Panel>
      <div class="grid">
        <LeftOut handoff={handoff} />
        <Sources handoff={handoff} />
      </div>
    </>
  )
}

export function Page({ cwd }: PageProps) {
  const chosen = useFolder(cwd)
  const folder = cwd ?? chosen.value?.folder
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
          {cwd === undefined && <span class="quiet-text"> (of your latest session; choose another project above)</span>}
        </p>
      )}
      {folder === undefined && chosen.value !== undefined ? (
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
