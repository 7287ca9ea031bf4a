import { useEffect, useMemo, useState } from 'preact/hooks'
import { createRedactor } from '../../redaction/redactor.ts'
import { CallError, get } from '../data/call.ts'
import type { DetailsReply, ProjectRow, RemovalRow } from '../data/contract.ts'
import { useQuery } from '../data/use-query.ts'
import { link, type PageProps } from '../nav/router.ts'
import { Badge, Figure, Loaded, LongText, PageHead, Panel, Problem, Time } from '../parts/basics.tsx'
import { askToErase } from '../parts/erase.tsx'
import { formatBytes, formatNumber, formatProject, lastSegment, plural } from '../parts/format.ts'

/** The redaction that runs before anything is stored, in this page: the text is not sent anywhere. */
function TrialBox() {
  const [text, setText] = useState('')
  const redactor = useMemo(() => createRedactor(), [])
  const kinds = text === '' ? [] : redactor.findings(text)
  return (
    <Panel
      title="Try a text"
      note="The redaction that runs before anything is stored, running in this page: the text is neither sent nor stored. The daemon also removes the values of a project's .env files."
    >
      <label class="field">
        Text
        <textarea
          value={text}
          spellcheck={false}
          onInput={(event) => setText(event.currentTarget.value)}
          placeholder="Paste a log line, a configuration file or a prompt"
        />
      </label>
      {text !== '' && (
        <div class="trial" aria-live="polite">
          <p>
            {kinds.length === 0 ? (
              <Badge>nothing was found</Badge>
            ) : (
              kinds.map((kind) => (
                <Badge key={kind} tone="good">
                  {kind} removed
                </Badge>
              ))
            )}
          </p>
          <LongText text={redactor.redact(text)} />
        </div>
      )}
    </Panel>
  )
}

interface RemovalReply {
  readonly removals: readonly RemovalRow[]
  readonly scanned: number
  readonly next?: number
}

interface RemovedGroup {
  readonly day: string
  readonly kind: string
  readonly row: RemovalRow
  readonly count: number
}

const SHOWN_GROUPS = 200

function group(rows: readonly RemovalRow[]): readonly RemovedGroup[] {
  const groups = new Map<string, RemovedGroup>()
  for (const row of rows)
    for (const { kind, count } of row.kinds) {
      const day = row.at.slice(0, 10)
      const key = `${day} ${kind} ${row.sessionId}`
      const known = groups.get(key)
      groups.set(key, { day, kind, row: known?.row ?? row, count: (known?.count ?? 0) + count })
    }
  return [...groups.values()]
}

function countKinds(groups: readonly RemovedGroup[]): readonly (readonly [kind: string, count: number])[] {
  const counts = new Map<string, number>()
  for (const { kind, count } of groups) counts.set(kind, (counts.get(kind) ?? 0) + count)
  return [...counts].toSorted((a, b) => b[1] - a[1])
}

/** Looks through the stored events page by page, newest first; what was found so far is shown meanwhile. */
function Removed({ events }: { readonly events: number }) {
  const [found, setFound] = useState<{ rows: readonly RemovalRow[]; scanned: number; isDone: boolean }>({
    rows: [],
    scanned: 0,
    isDone: false,
  })
  const [error, setError] = useState<CallError | undefined>()
  useEffect(() => {
    const abort = new AbortController()
    const scan = async () => {
      for (let beforeSeq: number | undefined; !abort.signal.aborted; ) {
        const page = await get<RemovalReply>('/api/removals', { beforeSeq, limit: 1_000 }, abort.signal)
        setFound((old) => ({
          rows: [...old.rows, ...page.removals],
          scanned: old.scanned + page.scanned,
          isDone: page.next === undefined,
        }))
        if (page.next === undefined) return
        beforeSeq = page.next
      }
    }
    scan().catch((thrown: unknown) => {
      if (thrown instanceof CallError) setError(thrown)
    })
    return () => abort.abort()
  }, [])
  const groups = useMemo(() => group(found.rows), [found.rows])
  const total = groups.reduce((sum, { count }) => sum + count, 0)
  return (
    <Panel
      title={`Secrets that were removed (${formatNumber(total)})`}
      note={
        <>
          Redaction leaves a mark with the kind of the secret in the stored text, and nothing of its value.{' '}
          <span role="status">
            {found.isDone
              ? `All ${plural(found.scanned, 'stored event')} were looked through.`
              : `${formatNumber(found.scanned)} of ${formatNumber(events)} events were looked through so far.`}
          </span>
        </>
      }
    >
      {error !== undefined && <Problem error={error} />}
      {groups.length > 0 && (
        <p class="kinds">
          {countKinds(groups).map(([kind, count]) => (
            <Badge key={kind} tone="good">
              {kind} {formatNumber(count)}
            </Badge>
          ))}
        </p>
      )}
      {groups.length === 0 ? (
        <p class="note">{found.isDone ? 'No stored event contained a secret.' : 'None was found yet.'}</p>
      ) : (
        <div class="scroll-x" tabIndex={0} role="region" aria-label="Secrets that were removed">
          <table>
            <thead>
              <tr>
                <th scope="col">Day</th>
                <th scope="col">Kind</th>
                <th scope="col">Where</th>
                <th scope="col" class="number">
                  Removed
                </th>
                <th scope="col">Last</th>
              </tr>
            </thead>
            <tbody>
              {groups.slice(0, SHOWN_GROUPS).map(({ day, kind, row, count }) => (
                <tr key={`${day} ${kind} ${row.sessionId}`}>
                  <td class="nowrap">{day}</td>
                  <td>
                    <Badge tone="good">{kind}</Badge>
                  </td>
                  <td>
                    <a href={link(['sessions', row.sessionKey], { harness: row.harness, event: row.seq })}>
                      {row.cwd === undefined ? row.harness : lastSegment(row.cwd)} {row.sessionKey.slice(0, 8)}
                    </a>
                  </td>
                  <td class="number">{formatNumber(count)}</td>
                  <td>
                    <Time at={row.at} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  )
}

interface StoredReply {
  readonly counts: {
    readonly events: number
    readonly sessions: number
    readonly checkpoints: number
    readonly memories: number
  }
}

interface StorageReply extends DetailsReply {
  readonly counts: StoredReply['counts']
}

function StoredPanel({ stored }: { readonly stored: StorageReply }) {
  const { counts, storedDays } = stored
  const rows = [
    ['Events, injections, outcomes', counts.events, `${storedDays.events} days`],
    ['Checkpoints', counts.checkpoints, `${storedDays.checkpoints} days; the newest of a session and named ones stay`],
    ['Sessions', counts.sessions, 'until you forget them'],
    ['Memories', counts.memories, 'until you forget them, then seven more days for undo'],
    ['Texts for the search', undefined, `${storedDays.archive} days`],
  ] as const
  return (
    <Panel
      title="What is stored, how much, until when"
      note={
        <>
          In Holdfast's home on this disk. <code>holdfast config</code> changes the times.
        </>
      }
    >
      <table>
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col" class="number">
              Rows
            </th>
            <th scope="col">Until</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([what, count, until]) => (
            <tr key={what}>
              <td>{what}</td>
              <td class="number">{count === undefined ? '' : formatNumber(count)}</td>
              <td>{until}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  )
}

function ForgetPanel({ cwd }: { readonly cwd: string | undefined }) {
  const [session, setSession] = useState('')
  const [folder, setFolder] = useState(cwd ?? '')
  const [note, setNote] = useState('')
  const [error, setError] = useState<CallError | undefined>()
  const projects = useQuery(
    async (signal) => (await get<{ projects: readonly ProjectRow[] }>('/api/projects', {}, signal)).projects,
    [],
  )
  const chosen = projects.value?.find(({ worktrees }) => worktrees.includes(folder))
  const ask = (what: string, target: object) => {
    setError(undefined)
    const done = () => {
      setNote(`Everything of ${what} was deleted.`)
      projects.reload()
    }
    askToErase(what, target, done).catch((thrown: unknown) => {
      if (thrown instanceof CallError) setError(thrown)
    })
  }
  return (
    <Panel title="Forget a session or a project">
      {error !== undefined && <Problem error={error} />}
      <p role="status">{note}</p>
      <form
        class="search-box"
        onSubmit={(event) => {
          event.preventDefault()
          ask(`session ${session}`, { session })
        }}
      >
        <input
          aria-label="Key of the session"
          placeholder="Key of a session, or its beginning"
          value={session}
          onInput={(event) => setSession(event.currentTarget.value.trim())}
        />
        <button type="submit" class="danger" disabled={session === ''}>
          Forget the session…
        </button>
      </form>
      <form
        class="search-box"
        onSubmit={(event) => {
          event.preventDefault()
          if (chosen !== undefined) ask(`project ${formatProject(chosen.project)}`, { projectId: chosen.projectId })
        }}
      >
        <select aria-label="Project" value={folder} onChange={(event) => setFolder(event.currentTarget.value)}>
          <option value="">Choose a project</option>
          {(projects.value ?? []).map(({ projectId, project, worktrees }) => (
            <option key={projectId} value={worktrees[0]}>
              {formatProject(project)}
            </option>
          ))}
        </select>
        <button type="submit" class="danger" disabled={chosen === undefined}>
          Forget the project…
        </button>
      </form>
    </Panel>
  )
}

export function Page({ cwd }: PageProps) {
  const query = useQuery(
    async (signal) => {
      const [{ counts }, details] = await Promise.all([
        get<StoredReply>('/api/counts', {}, signal),
        get<DetailsReply>('/api/health/details', {}, signal),
      ])
      return { ...details, counts }
    },
    [],
    { isStale: ({ kind }) => kind === 'event', everyMs: 10_000 },
  )
  return (
    <>
      <PageHead
        title="Privacy"
        lead="Secrets are removed before the first byte is written, and again whenever text leaves the daemon. Everything is stored on this machine, in Holdfast's home; nothing is sent elsewhere unless you configure it."
      />
      <Loaded query={query}>
        {(stored) => (
          <>
            <div class="figures">
              <Figure label="Sessions stored" value={stored.counts.sessions} />
              <Figure label="Events stored" value={stored.counts.events} />
              <Figure label="Memories stored" value={stored.counts.memories} />
              <Figure
                label="On disk"
                value={formatBytes(stored.homeBytes)}
                note={stored.storeBytes === undefined ? undefined : `store: ${formatBytes(stored.storeBytes)}`}
              />
            </div>
            <Removed events={stored.counts.events} />
            <div class="grid">
              <TrialBox />
              <StoredPanel stored={stored} />
            </div>
            <ForgetPanel cwd={cwd} />
          </>
        )}
      </Loaded>
    </>
  )
}
