import type { Memory } from '../../kernel/memory.ts'
import { get } from '../data/call.ts'
import type { LabelledSession, TeamReply } from '../data/contract.ts'
import { readFolder } from '../data/use-folder.ts'
import { useQuery } from '../data/use-query.ts'
import { useTitles } from '../data/use-titles.ts'
import { link, type PageProps } from '../nav/router.ts'
import { Badge, CopyButton, EmptyState, Loaded, PageHead, Panel, Time } from '../parts/basics.tsx'
import { formatProject, formatType } from '../parts/format.ts'
import { toOneLine } from '../parts/inert-text.ts'
import { SessionName } from '../parts/session-name.tsx'

const SHOWN_SESSIONS = 40
const KEY_CHARS = 16

interface TeamSessionRow {
  readonly session: LabelledSession
  readonly machine: string
  readonly author?: string
  readonly mayStillRun: boolean
  readonly isTaken: boolean
}

interface TeamView extends TeamReply {
  /** Of the chosen project, on other machines. */
  readonly sessions: readonly TeamSessionRow[]
  readonly folder: string | undefined
}

async function readTeam(cwd: string | undefined, signal: AbortSignal): Promise<TeamView> {
  const [team, { folder }] = await Promise.all([get<TeamReply>('/api/team', {}, signal), readFolder(cwd, signal)])
  if (folder === undefined) return { ...team, sessions: [], folder }
  const input = { cwd: folder, limit: SHOWN_SESSIONS }
  const { sessions } = await get<{ sessions: readonly TeamSessionRow[] }>('/api/team-sessions', input, signal)
  return { ...team, sessions, folder }
}

function People({ people, machines }: TeamReply) {
  return (
    <Panel
      title="People and machines"
      note="As far as this store knows them. Compare a key on both machines before you trust it."
    >
      <div class="scroll-x" tabIndex={0} role="region" aria-label="Machines and their people">
        <table>
          <thead>
            <tr>
              <th scope="col">Machine</th>
              <th scope="col">Person</th>
              <th scope="col" class="number">
                Sessions
              </th>
              <th scope="col">Newest work known here</th>
              <th scope="col">Key</th>
            </tr>
          </thead>
          <tbody>
            {machines.map((machine) => {
              const person = people.find(({ id }) => id === machine.person)
              return (
                <tr key={machine.id}>
                  <th scope="row">
                    {machine.name} {machine.isHere && <Badge tone="good">this machine</Badge>}
                  </th>
                  <td>
                    {person?.name} {person?.isYou === true && <Badge>you</Badge>}
                  </td>
                  <td class="number">{machine.sessions}</td>
                  <td>{machine.lastActiveAt === undefined ? 'none' : <Time at={machine.lastActiveAt} />}</td>
                  <td>
                    {machine.keyFingerprint === undefined ? (
                      'not shown yet'
                    ) : (
                      <code title={machine.keyFingerprint}>{machine.keyFingerprint.slice(0, KEY_CHARS)}…</code>
                    )}
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
    </Panel>
  )
}

function toMemoryLink({ id }: Memory, folder: string): string {
  return link(['memories', id], { cwd: folder })
}

function Shared({ people, shared }: TeamReply) {
  return (
    <Panel
      title="Shared memories"
      note="What is shared stays with its author; the text of another person is evidence, not a rule."
    >
      {shared.length === 0 ? (
        <p>
          Nothing is shared. <code>holdfast share ID</code> shares a memory, <code>holdfast remember --team TEXT</code>{' '}
          stores a new one for the team.
        </p>
      ) : (
        <ul class="plain-list">
          {shared.map(({ memory, author, machine, folder, isHere }) => {
            const person = people.find(({ id }) => id === author)
            return (
              <li key={memory.id} class="team-memory">
                {folder !== undefined && isHere ? (
                  <a class="row-title-wrap" href={toMemoryLink(memory, folder)}>
                    {toOneLine(memory.content)}
                  </a>
                ) : (
                  <span class="row-title-wrap">{toOneLine(memory.content)}</span>
                )}
                <span class="row-sub">
                  <Badge>{formatType(memory.type)}</Badge>
                  <span>
                    {person?.isYou === true ? 'you' : person?.name} on {machine}
                  </span>
                  <Time at={memory.createdAt} />
                  {folder !== undefined && <span>{formatProject(folder)}</span>}
                </span>
              </li>
            )
          })}
        </ul>
      )}
    </Panel>
  )
}

function Work({ sessions, folder }: TeamView) {
  const titles = useTitles(folder)
  return (
    <Panel
      title="Work on other machines"
      note={
        folder === undefined
          ? undefined
          : `In ${formatProject(folder)}. Your own is given to the next session by itself; work of others only after you take it.`
      }
    >
      {sessions.length === 0 ? (
        <p>No session of this project on another machine is known here.</p>
      ) : (
        <ul class="plain-list">
          {sessions.map(({ session, machine, author, mayStillRun, isTaken }) => (
            <li key={session.id} class="team-session">
              <a class="row-title-wrap" href={link(['sessions', session.key], { harness: session.harness })}>
                <SessionName session={session} titles={titles} />
              </a>
              <span class="row-sub">
                <Badge>{session.harness}</Badge>
                <span>
                  {author ?? 'you'} on {machine}
                </span>
                <Time at={session.lastEventAt} />
                {mayStillRun && <Badge tone="warn">may still run</Badge>}
                {isTaken && <Badge tone="good">taken: the next session here continues it</Badge>}
                <CopyButton text={`holdfast take ${session.key}`} label="Copy: take it" />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}

/** Other people and machines, what they shared, and what they worked on. */
export function Page({ cwd }: PageProps) {
  const query = useQuery((signal) => readTeam(cwd, signal), [cwd], {
    isStale: ({ kind }) => kind === 'memory',
    everyMs: 5_000,
  })
  return (
    <>
      <PageHead title="Team" lead="People, machines and their keys, shared memories, and work that is elsewhere." />
      <Loaded query={query}>
        {(team) =>
          team.machines.length === 1 && team.shared.length === 0 ? (
            <EmptyState title="This Holdfast knows of no other machine">
              <p>
                Everything is on this machine. <code>holdfast export --all FILE</code> and, on the other machine,{' '}
                <code>holdfast import FILE</code> take your work there; <code>holdfast team join LINK</code> joins a
                team server.
              </p>
            </EmptyState>
          ) : (
            <>
              <People {...team} />
              <Shared {...team} />
              <Work {...team} />
            </>
          )
        }
      </Loaded>
    </>
  )
}
