import { Fragment } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { readEvent } from '../data/read-events.ts'
import { useQuery } from '../data/use-query.ts'
import { link, setParams } from '../nav/router.ts'
import { Badge, Loaded, LongText, Panel, Time } from './basics.tsx'
import { formatExact, formatNumber } from './format.ts'
import { toOneLine } from './inert-text.ts'

/** A text as it was, a list or an object by its parts. */
function FieldValue({ value }: { readonly value: unknown }) {
  if (typeof value !== 'object' || value === null) {
    const text = String(value)
    return text.length > 160 || text.includes('\n') ? <LongText text={text} first={1_500} /> : <>{text}</>
  }
  if (Array.isArray(value))
    return value.length === 0 ? (
      <span class="quiet-text">none</span>
    ) : (
      <ol class="plain-list">
        {value.map((one, at) => (
          <li key={at}>
            <FieldValue value={one} />
          </li>
        ))}
      </ol>
    )
  return <Fields fields={Object.entries(value)} />
}

function Fields({ fields }: { readonly fields: readonly (readonly [name: string, value: unknown])[] }) {
  return (
    <dl class="facts">
      {fields.map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>
            <FieldValue value={value} />
          </dd>
        </Fragment>
      ))}
    </dl>
  )
}

const IN_THE_HEAD = new Set(['id', 'kind', 'at', 'door', 'sessionKey', 'harness'])

/** One event as it is stored. */
export function EventPanel({ seq }: { readonly seq: number }) {
  const query = useQuery((signal) => readEvent(seq, signal), [seq])
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => box.current?.scrollIntoView({ block: 'nearest' }), [seq, query.value === undefined])
  return (
    <div ref={box}>
      <Panel
        title={`Event #${seq}`}
        actions={
          <button type="button" class="small" onClick={() => setParams({ event: undefined })}>
            Close
          </button>
        }
      >
        <Loaded query={query}>
          {({ event, hash, checkpoint, injections }) => (
            <>
              <p>
                <Badge tone="info">{event.kind}</Badge> {formatExact(event.at)}{' '}
                <span class="quiet-text">arrived by {event.door}</span>
              </p>
              <div class="event-fields">
                <Fields fields={Object.entries(event).filter(([name]) => !IN_THE_HEAD.has(name))} />
              </div>
              <dl class="facts">
                <dt>Became part of</dt>
                <dd>
                  {checkpoint === undefined ? (
                    'no checkpoint yet'
                  ) : (
                    <>
                      <a href={link(['checkpoints', checkpoint.id])}>checkpoint {toOneLine(checkpoint.summary, 80)}</a>,{' '}
                      <Time at={checkpoint.createdAt} />
                    </>
                  )}
                </dd>
                <dt>Injected here</dt>
                <dd>
                  {injections.length === 0 && 'nothing'}
                  {injections.map((entry) => (
                    <div key={entry.seq}>
                      <a href={link(['injections'], { session: entry.sessionKey, entry: entry.seq })}>
                        {entry.isSkipped ? 'nothing' : `${formatNumber(entry.chars)} characters`}
                      </a>
                      : {entry.why}
                    </div>
                  ))}
                </dd>
                <dt>Hash in the chain</dt>
                <dd class="mono">{hash}</dd>
              </dl>
            </>
          )}
        </Loaded>
      </Panel>
    </div>
  )
}
