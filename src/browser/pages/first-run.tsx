import { useEffect, useState } from 'preact/hooks'
import type { Session } from '../../kernel/session.ts'
import { CallError, get, post } from '../data/call.ts'
import type { ImportReply, RecoveryReply } from '../data/contract.ts'
import { useQuery } from '../data/use-query.ts'
import { useTitles } from '../data/use-titles.ts'
import { link, type PageProps } from '../nav/router.ts'
import { Badge, EmptyState, Figure, Loaded, LongText, PageHead, Panel, Problem, Time } from '../parts/basics.tsx'
import { formatNumber, formatProject, plural } from '../parts/format.ts'
import { SessionName } from '../parts/session-name.tsx'

interface StoredCounts {
  readonly counts: { readonly sessions: number; readonly events: number; readonly checkpoints: number }
}

const POLL_MS = 700

function ImportPanel({ onDone }: { readonly onDone: () => void }) {
  const [progress, setProgress] = useState<ImportReply | undefined>()
  const [problem, setProblem] = useState<CallError | undefined>()
  const isRunning = progress?.state === 'running'
  useEffect(() => {
    const read = () => get<ImportReply>('/api/import').then(setProgress, () => undefined)
    if (progress === undefined) void read()
    if (!isRunning) return
    const timer = setInterval(() => void read(), POLL_MS)
    return () => {
      clearInterval(timer)
      onDone()
    }
  }, [isRunning])
  const start = () =>
    post<ImportReply>('/api/import', {}).then(setProgress, (error: unknown) => {
      if (error instanceof CallError) setProblem(error)
    })
  return (
    <Panel
      title="Import"
      note={
        <>
          Reads the transcripts that your harnesses wrote, removes secrets, and stores their sessions. Nothing leaves
          this machine and no transcript is changed; what was imported before is skipped. In a terminal:{' '}
          <code>holdfast import</code>.
        </>
      }
      actions={
        <button type="button" class="primary" disabled={isRunning} onClick={() => void start()}>
          {isRunning ? 'Importing…' : 'Import now'}
        </button>
      }
    >
      {problem !== undefined && <Problem error={problem} />}
      {isRunning && (
        <label class="field">
          {progress.total === 0
            ? 'Looking for transcripts'
            : `${formatNumber(progress.done)} of ${plural(progress.total, 'transcript')}`}
          <progress value={progress.done} max={Math.max(1, progress.total)} />
        </label>
      )}
      {progress?.state === 'done' && (
        <p role="status">
          <Badge tone="good">done</Badge> {plural(progress.imported ?? 0, 'session')} with{' '}
          {plural(progress.events ?? 0, 'event')} imported, of {plural(progress.total, 'transcript')} found.{' '}
          {progress.problem}
        </p>
      )}
      {progress?.state === 'failed' && (
        <p class="notice" role="status">
          {progress.problem}
        </p>
      )}
    </Panel>
  )
}

interface PastStart extends RecoveryReply {
  readonly session: Session
}

function PastStarts({ starts }: { readonly starts: readonly PastStart[] }) {
  const titles = useTitles(undefined)
  const given = starts.filter(({ recovery }) => recovery.text !== '')
  return (
    <Panel
      title="What you would have been given"
      note={`For your last ${plural(starts.length, 'session')}, from what was over when each began: ${given.length} would have been given something. Disk and git of that time are not known, so the lines are not checked.`}
    >
      {starts.map(({ session, recovery }) => (
        <details key={session.id} class="past">
          <summary data-nav>
            <strong>
              <SessionName session={session} titles={titles} />
            </strong>{' '}
            <span class="quiet-text">
              {formatProject(session.place?.project ?? session.cwd ?? 'unknown project')}, {session.harness},{' '}
              <Time at={session.startedAt} />
            </span>{' '}
            <Badge tone={recovery.text === '' ? 'quiet' : 'good'}>
              {recovery.text === '' ? 'nothing' : `${formatNumber(recovery.text.length)} characters`}
            </Badge>
          </summary>
          {recovery.text === '' ? (
            <p class="note">{recovery.reasons[0]?.reason ?? 'There was no earlier work in its folder.'}</p>
          ) : (
            <LongText text={recovery.text} first={6_000} />
          )}
          <p>
            <a href={link(['sessions', session.key], { harness: session.harness })}>What it did instead</a>
          </p>
        </details>
      ))}
    </Panel>
  )
}

export function Page({ cwd }: PageProps) {
  const counts = useQuery(async (signal) => (await get<StoredCounts>('/api/counts', {}, signal)).counts, [], {
    isStale: ({ kind }) => kind !== 'position',
    everyMs: 1_000,
  })
  const past = useQuery(
    async (signal) =>
      (await get<{ hindsight: readonly PastStart[] }>('/api/hindsight', { cwd, limit: 10 }, signal)).hindsight,
    [cwd],
  )
  return (
    <>
      <PageHead
        title="Import history"
        lead="Your harnesses wrote transcripts before Holdfast was installed. Import them, and the next session knows what they did."
      />
      <ImportPanel
        onDone={() => {
          counts.reload()
          past.reload()
        }}
      />
      <Loaded query={counts}>
        {({ sessions, events, checkpoints }) => (
          <div class="figures">
            <Figure label="Sessions" value={sessions} />
            <Figure label="Events" value={events} />
            <Figure label="Checkpoints" value={checkpoints} />
          </div>
        )}
      </Loaded>
      <Loaded query={past}>
        {(starts) =>
          starts.length === 0 ? (
            <EmptyState title="No session is known yet">
              <p>Import your sessions, and this page shows what each of them would have been given at its start.</p>
            </EmptyState>
          ) : (
            <PastStarts starts={starts} />
          )
        }
      </Loaded>
      <Panel title="From now on">
        <p>
          <a href={link(['start'])}>See what the next session would be given</a>, and why.
        </p>
      </Panel>
    </>
  )
}
