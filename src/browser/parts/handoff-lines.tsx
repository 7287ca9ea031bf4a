import { useState } from 'preact/hooks'
import type { CheckpointRow, HandoffLineRow } from '../data/contract.ts'
import { findSourceEvent } from '../data/find-source-event.ts'
import { useQuery } from '../data/use-query.ts'
import { link } from '../nav/router.ts'
import { Badge, Time, type Tone } from './basics.tsx'

const VERDICTS: Readonly<Record<string, { readonly tone: Tone; readonly label: string; readonly meaning: string }>> = {
  holds: { tone: 'good', label: 'holds', meaning: 'Checked against disk and git just now: still true.' },
  changed: { tone: 'warn', label: 'changed', meaning: 'The file or branch was changed since. The line says so.' },
  gone: { tone: 'bad', label: 'gone', meaning: 'What the line names is no longer there.' },
  'cannot-tell': { tone: 'quiet', label: 'not checkable', meaning: 'Disk and git cannot confirm or refute it.' },
}

export function VerdictBadge({ verdict }: { readonly verdict: string | undefined }) {
  const known = verdict === undefined ? undefined : VERDICTS[verdict]
  if (known === undefined) return null
  return (
    <Badge tone={known.tone} title={known.meaning}>
      {known.label}
    </Badge>
  )
}

/** Where a part of the handoff comes from, in words. */
const ORIGINS: Readonly<Record<string, string>> = {
  dialogue: 'what was said in the session',
  files: 'files that the session touched',
  git: 'git, looked at just now',
  checks: 'checks that the session ran',
  commands: 'commands that the session ran',
  decisions: 'decisions of the session',
  rules: 'rules that you gave',
  todos: 'the todo list',
  tools: 'tool calls of the session',
  errors: 'errors of the session',
  blockers: 'blockers that were noted',
  failedApproaches: 'approaches that failed before',
  remembers: 'what was remembered',
}

function SourceEvent({ text, sources }: { readonly text: string; readonly sources: readonly CheckpointRow[] }) {
  const ids = sources.map(({ id }) => id)
  const query = useQuery(async (signal) => ({ found: await findSourceEvent(text, sources, signal) }), [text, ids])
  if (query.value === undefined) return <>{query.error === undefined ? '…' : 'not found'}</>
  const { found } = query.value
  if (found === undefined) return <span class="quiet-text">no single event: it was put together</span>
  const { event, seq } = found
  return (
    <>
      <a href={link(['sessions', event.sessionKey], { harness: event.harness, event: seq })}>event #{seq}</a>{' '}
      <span class="quiet-text">
        {event.kind}, <Time at={event.at} />
      </span>
    </>
  )
}

function LineDetails({ line, sources }: { readonly line: HandoffLineRow; readonly sources: readonly CheckpointRow[] }) {
  return (
    <ul class="why plain-list">
      {line.reasons.map((reason, at) => (
        <li key={at}>
          <strong>{reason.line}</strong> <VerdictBadge verdict={reason.verdict} />
          <dl class="facts">
            <dt>Why</dt>
            <dd>{reason.reason}</dd>
            <dt>From</dt>
            <dd>{ORIGINS[reason.origin] ?? reason.origin}</dd>
            <dt>Source</dt>
            <dd>
              <SourceEvent text={reason.line} sources={sources} />
            </dd>
            {reason.score !== undefined && (
              <>
                <dt>Score</dt>
                <dd title="What competes for the room is sorted by it">{reason.score.toFixed(2)}</dd>
              </>
            )}
          </dl>
        </li>
      ))}
    </ul>
  )
}

const WORST_FIRST = ['gone', 'changed', 'cannot-tell', 'holds']

/** The badge of a line is that of its worst part. */
function findVerdict({ reasons }: HandoffLineRow): string | undefined {
  return WORST_FIRST.find((verdict) => reasons.some((reason) => reason.verdict === verdict))
}

interface HandoffLinesProps {
  readonly lines: readonly HandoffLineRow[]
  readonly sources: readonly CheckpointRow[]
}

/** The text as it would be injected: each line opens the reasons of its parts. */
export function HandoffLines({ lines, sources }: HandoffLinesProps) {
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set())
  const toggle = (at: number) => {
    const next = new Set(open)
    if (!next.delete(at)) next.add(at)
    setOpen(next)
  }
  return (
    <ol class="handoff" aria-label="Lines of the handoff">
      {lines.map((line, at) => {
        if (line.role !== 'line')
          return (
            <li key={at} class={`handoff-${line.role}`}>
              {line.text === '' ? '\u00a0' : line.text}
            </li>
          )
        const isOpen = open.has(at)
        return (
          <li key={at} class="handoff-line">
            <button type="button" data-nav aria-expanded={isOpen} onClick={() => toggle(at)}>
              <span class="line-text">{line.text}</span>
              <VerdictBadge verdict={findVerdict(line)} />
            </button>
            {isOpen && <LineDetails line={line} sources={sources} />}
          </li>
        )
      })}
    </ol>
  )
}
