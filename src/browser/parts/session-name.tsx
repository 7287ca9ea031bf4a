import type { LabelledSession, NamedSession } from '../data/contract.ts'
import { useTitle } from '../data/use-titles.ts'
import { Badge } from './basics.tsx'
import { toOneLine } from './inert-text.ts'

/** What a session was about; `titles` were read for the whole list. */
export function SessionName(props: {
  readonly session: NamedSession
  readonly titles: ReadonlyMap<string, string> | undefined
}) {
  const title = useTitle(props.session, props.titles)
  return <>{title === undefined ? '…' : toOneLine(title, 200)}</>
}

const PHASES: Readonly<Record<string, readonly [label: string, meaning: string]>> = {
  working: ['working', 'The agent works on a request.'],
  idle: ['waiting for you', 'It waits for the next request.'],
  compacting: ['compacting', 'The harness shortens its context.'],
  ended: ['ended', 'It was ended.'],
  interrupted: ['interrupted', 'Its process is gone and it was not ended: a crash, or a closed window.'],
}

/** The state of a session; one that was left without an end is not shown as being at work. */
export function PhaseBadge(props: {
  readonly session: Pick<LabelledSession, 'id' | 'phase'>
  readonly liveIds: ReadonlySet<string> | undefined
}) {
  const { id, phase } = props.session
  if (phase === 'ended' || phase === 'interrupted' || props.liveIds?.has(id) === true) {
    const [label = phase, meaning = ''] = PHASES[phase] ?? []
    const tone = { ended: 'quiet', interrupted: 'warn', idle: 'info', compacting: 'warn', working: 'good' } as const
    return (
      <Badge title={meaning} tone={tone[phase]}>
        {label}
      </Badge>
    )
  }
  if (props.liveIds === undefined) return null
  return <Badge title="No end was seen. Its process is not running, or it has been silent for long.">no end seen</Badge>
}
