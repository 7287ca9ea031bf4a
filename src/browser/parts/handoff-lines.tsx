import { useState } from 'preact/hooks'
import type { HandoffLineRow } from '../data/contract.ts'
import { Badge, type Tone } from './basics.tsx'

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

function LineDetails({ line }: { readonly line: HandoffLineRow }) {
  const { reason } = line
  if (reason === undefined) return <div class="why">No reason was recorded for this line.</div>
  return (
    <div class="why">
      <p>{reason.reason}</p>
      <dl class="facts">
        <dt>Comes from</dt>
        <dd>{reason.origin}</dd>
        {reason.score !== undefined && (
          <>
            <dt>Score</dt>
            <dd title="The estimated probability that the next session needs it">{reason.score.toFixed(2)}</dd>
          </>
        )}
      </dl>
    </div>
  )
}

/** The text as it would be injected: each line opens its reason. */
export function HandoffLines({ lines }: { readonly lines: readonly HandoffLineRow[] }) {
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set())
  const toggle = (at: number) => {
    const next = new Set(open)
    if (!next.delete(at)) next.add(at)
    setOpen(next)
  }
  return (
    <ol class="handoff" aria-label="Lines of the handoff">
      {lines.map((line, at) => {
        if (line.role !== 'line' || line.text.trim() === '')
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
              <VerdictBadge verdict={line.reason?.verdict} />
            </button>
            {isOpen && <LineDetails line={line} />}
          </li>
        )
      })}
    </ol>
  )
}
