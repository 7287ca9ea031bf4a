import { useState } from 'preact/hooks'
import { CallError, download, get, post } from '../data/call.ts'
import type { LabelledSession } from '../data/contract.ts'
import { useLiveIds } from '../data/use-live-ids.ts'
import { useQuery } from '../data/use-query.ts'
import { NO_TITLES } from '../data/use-titles.ts'
import { go, link } from '../nav/router.ts'
import { CopyButton, Figure, PageHead, Problem, Time } from './basics.tsx'
import { askToErase } from './erase.tsx'
import { formatCompact, formatLocal, formatProject, plural } from './format.ts'
import { PhaseBadge, SessionName } from './session-name.tsx'

export interface SessionRef {
  readonly sessionKey: string
  readonly harness: string | undefined
}

const saveSessionPage = (key: string, harness: string) =>
  download('/api/sessions/:sessionKey/page', { sessionKey: key, harness }, `session-${key}.html`)

export function SessionHead({
  session,
  sessionRef,
}: {
  readonly session: LabelledSession
  readonly sessionRef: SessionRef
}) {
  const reopen = useQuery(
    async (signal) =>
      (await get<{ reopen: { text?: string } }>('/api/sessions/:sessionKey/reopen', { ...sessionRef }, signal)).reopen,
    [sessionRef.sessionKey],
  )
  const liveIds = useLiveIds()
  const { contextTokens, contextWindowTokens } = session
  const [problem, setProblem] = useState<CallError | undefined>()
  const forget = () => {
    setProblem(undefined)
    askToErase(`session ${session.key}`, { session: session.key }, () => go(link(['sessions']))).catch((thrown) => {
      if (thrown instanceof CallError) setProblem(thrown)
    })
  }
  const isPinned = session.labels?.isPinned === true
  return (
    <>
      <PageHead
        title={<SessionName session={session} titles={NO_TITLES} />}
        lead={
          <>
            <PhaseBadge session={session} liveIds={liveIds} />{' '}
            {formatProject(session.place?.project ?? session.cwd ?? 'unknown project')}
            {session.place?.branch !== undefined && `, branch ${session.place.branch}`}, {session.harness}{' '}
            {session.harnessVersion} <span class="mono">{session.key}</span>
          </>
        }
      >
        {reopen.value?.text !== undefined && <CopyButton text={reopen.value.text} label="Copy: reopen it there" />}
        <button type="button" onClick={() => void saveSessionPage(session.key, session.harness)}>
          Export as HTML
        </button>
        <button
          type="button"
          aria-pressed={isPinned}
          onClick={() =>
            void post('/api/sessions/:sessionKey/labels', { isPinned: !isPinned }, { sessionKey: session.key }).then(
              () => location.reload(),
            )
          }
        >
          {isPinned ? 'Unpin' : 'Pin'}
        </button>
        <button type="button" class="danger" onClick={forget}>
          Forget…
        </button>
        {problem !== undefined && <Problem error={problem} />}
      </PageHead>
      <div class="figures">
        <Figure label="Started" value={<Time at={session.startedAt} />} note={formatLocal(session.startedAt)} />
        <Figure label="Last event" value={<Time at={session.lastEventAt} />} note={formatLocal(session.lastEventAt)} />
        <Figure
          label="Work"
          value={plural(session.promptCount, 'prompt')}
          note={`${plural(session.toolCount, 'tool call')}, ${plural(session.compactionCount, 'compaction')}`}
        />
        <Figure
          label="Context used"
          value={contextTokens === undefined ? 'unknown' : formatCompact(contextTokens)}
          note={
            contextTokens === undefined
              ? 'neither the harness nor a transcript reported it'
              : contextWindowTokens === undefined
                ? 'tokens'
                : `of ${formatCompact(contextWindowTokens)} tokens`
          }
        />
      </div>
      <p class="where">
        <span class="quiet-text">Folder</span> <code>{session.cwd ?? 'unknown'}</code>{' '}
        <span class="quiet-text">See also</span>{' '}
        <a href={link(['injections'], { session: session.key })}>what was injected</a>,{' '}
        <a href={link(['checkpoints'], { session: session.key })}>checkpoints</a>,{' '}
        <a href={link(['lineage'], { session: session.key })}>lineage</a>
      </p>
    </>
  )
}
