import { useMemo, useState } from 'preact/hooks'
import { createRedactor } from '../../redaction/redactor.ts'
import { get } from '../data/call.ts'
import { useQuery } from '../data/use-query.ts'
import { Badge, Figure, Loaded, LongText, PageHead, Panel } from '../parts/basics.tsx'

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

interface StoredReply {
  readonly counts: {
    readonly events: number
    readonly sessions: number
    readonly checkpoints: number
    readonly memories: number
  }
}

const COMMANDS = [
  ['holdfast config', 'how long events, checkpoints and injections stay (the settings that begin with `continuity`)'],
  ['holdfast events list', 'every event as it is stored'],
  ['holdfast memories list', 'every memory of a project'],
  ['holdfast forget <id>', 'delete a memory'],
  ['holdfast uninstall', 'disconnect the harnesses; the settings files are restored'],
] as const

export function Page() {
  const query = useQuery(async (signal) => (await get<StoredReply>('/api/counts', {}, signal)).counts, [], {
    isStale: ({ kind }) => kind === 'event',
    everyMs: 5_000,
  })
  return (
    <>
      <PageHead
        title="Privacy"
        lead="Secrets are removed before the first byte is written, and again whenever text leaves the daemon. Everything is stored on this machine, in Holdfast's home; nothing is sent elsewhere unless you configure it."
      />
      <Loaded query={query}>
        {(counts) => (
          <div class="figures">
            <Figure label="Sessions stored" value={counts.sessions} />
            <Figure label="Events stored" value={counts.events} />
            <Figure label="Checkpoints stored" value={counts.checkpoints} />
            <Figure label="Memories stored" value={counts.memories} />
          </div>
        )}
      </Loaded>
      <div class="grid">
        <TrialBox />
        <Panel title="See and delete what is stored">
          <dl class="facts">
            {COMMANDS.map(([command, meaning]) => (
              <>
                <dt>
                  <code>{command}</code>
                </dt>
                <dd>{meaning}</dd>
              </>
            ))}
          </dl>
        </Panel>
      </div>
    </>
  )
}
