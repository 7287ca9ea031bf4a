import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { SessionEvent } from '../src/kernel/event.ts'
import { CheckpointId, ProjectId, SessionId, sessionIdOf } from '../src/kernel/id.ts'
import { type SectionLabels, WATCHED_CALLS } from '../src/kernel/start-outcome.ts'
import { createTracing, type EpochTrace } from '../src/outcomes/trace.ts'
import { labelsOf, usageOf } from '../src/outcomes/usage.ts'
import { foldCheckpoints } from '../src/recovery/merge/merge-checkpoints.ts'
import { unchecked } from '../src/recovery/revalidate/revalidate.ts'
import { renderRecovery, type Rendered, type RenderOptions } from '../src/recovery/render.ts'
import { advance, type Session } from '../src/kernel/session.ts'
import { headOf } from '../src/kernel/shell/command.ts'
import { composeCheckpoint } from '../src/checkpoint/compose-checkpoint.ts'
import { foldEvent, foldNote } from '../src/checkpoint/work/fold.ts'
import { emptyWork } from '../src/checkpoint/work/state.ts'
import { readTranscriptFile, type TranscriptFile } from '../src/harness/transcript-file.ts'
import { HARNESS_OF } from './formats.ts'

const BUDGET_CHARS = 2_000

interface CutPoint {
  readonly id: string
  readonly kind: string
  readonly format: string
  readonly repo: string
  readonly file: string
  readonly next_file?: string
  readonly session: string
}

/** One point where a session was cut: what could be told then, and what followed. */
export interface Replayed extends CutPoint {
  readonly sessionId: SessionId
  /** When it was cut: what came later was not known yet. */
  readonly at: string
  readonly render: (adjust: RenderOptions['adjust']) => Rendered
  /** What the next calls used of what had been seen before, one set for each kind. */
  readonly needed: readonly ReadonlySet<string>[]
  readonly labels: (rendered: Rendered) => readonly SectionLabels[]
}

function isCutPoint(value: unknown): value is CutPoint {
  return typeof value === 'object' && value !== null && 'repo' in value && 'file' in value && 'session' in value
}

export function cutPointsOf(file: string): readonly CutPoint[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => {
      const value: unknown = JSON.parse(line)
      return isCutPoint(value) ? [value] : []
    })
}

export function python(data: string, args: readonly string[]): string {
  const run = spawnSync('python3', [join(data, 'bench', 'run_nlr.py'), ...args], {
    encoding: 'utf8',
    maxBuffer: 64_000_000,
    env: { ...process.env, EVALDATA: data, PYTHONDONTWRITEBYTECODE: '1' },
  })
  if (run.error !== undefined) throw run.error
  if (run.status !== 0) throw new Error(run.stderr.trim().split('\n').at(-1) ?? 'the scorer failed')
  return run.stdout
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const NO_CADENCE = { promptInterval: Number.MAX_SAFE_INTEGER, timeIntervalMs: Number.MAX_SAFE_INTEGER }

function eventsOf({ items }: TranscriptFile): readonly SessionEvent[] {
  return items.flatMap((item) => (item.type === 'event' ? [item.event] : []))
}

/** The first watched calls of what followed, as one start. */
function traceOf(events: readonly SessionEvent[], worktree: string): EpochTrace | undefined {
  const tracing = createTracing(worktree)
  events
    .filter(({ kind }) => kind !== 'session-started')
    .forEach((event, index) => tracing.follow({ seq: index + 1, event, hash: '' }))
  const [trace] = tracing.epochs()
  return trace === undefined ? undefined : { ...trace, calls: trace.calls.slice(0, WATCHED_CALLS) }
}

/** Files, commands and names that had been seen before and were used after. */
function neededOf(trace: EpochTrace, work: ReturnType<typeof foldCheckpoints>['work']): Replayed['needed'] {
  const touched = new Set(trace.calls.flatMap(({ reads, edits }) => [...reads, ...edits]))
  const heads = new Set(trace.calls.flatMap(({ commands }) => commands.map(headOf)))
  const names = new Set(trace.calls.flatMap((call) => call.names))
  const commands = work.commands.filter(({ purpose }) => purpose !== 'vcs').map(({ command }) => headOf(command))
  return [
    new Set(work.files.map(({ path }) => path).filter((path) => touched.has(path))),
    new Set(commands.filter((head) => heads.has(head))),
    new Set(work.identifiers.map(({ name }) => name).filter((name) => names.has(name))),
  ]
}

export interface ReplayFolders {
  readonly data: string
  readonly split: string
  /** Where `run_nlr.py --dump` put the beginnings. */
  readonly prefixes: string
  readonly scratch: string
}

async function unpacked(folders: ReplayFolders, file: string, format: string): Promise<TranscriptFile> {
  const path = join(folders.scratch, file.replaceAll('/', '+').replace(/\.gz$/, ''))
  if (!existsSync(path))
    writeFileSync(path, gunzipSync(readFileSync(join(folders.data, folders.split, 'transcripts', file))))
  return await readTranscriptFile(path, HARNESS_OF[format] ?? format)
}

function sessionOf(events: readonly SessionEvent[]): Session | undefined {
  let session: Session | undefined
  events.forEach((event, index) => {
    session = advance(session, event, { seq: index + 1, cadence: NO_CADENCE }).session
  })
  return session
}

/** Undefined where the beginning cannot be read, or nothing followed. */
export async function replay(one: CutPoint, folders: ReplayFolders): Promise<Replayed | undefined> {
  const path = ['jsonl', 'json']
    .map((end) => join(folders.prefixes, `${one.id}.prefix.${end}`))
    .find((p) => existsSync(p))
  if (path === undefined) return undefined
  const before = await readTranscriptFile(path, HARNESS_OF[one.format] ?? one.format)
  const events = eventsOf(before)
  const session = sessionOf(events)
  if (session === undefined) return undefined
  const worktree = before.cwd ?? ''
  const seen = new Set(events.map(({ id }) => id))
  const whole = await unpacked(folders, one.next_file ?? one.file, one.format)
  const trace = traceOf(
    eventsOf(whole).filter(({ id }) => !seen.has(id)),
    worktree,
  )
  if (trace === undefined || trace.calls.length === 0) return undefined
  const work = before.items.reduce(
    (state, item) => (item.type === 'event' ? foldEvent(state, item.event, { worktree }) : foldNote(state, item.note)),
    emptyWork(),
  )
  const checkpoint = composeCheckpoint({
    id: CheckpointId('transcript'),
    session,
    work,
    trigger: 'session_end',
    place: {
      projectId: ProjectId(''),
      project: worktree,
      projectNormalized: worktree,
      worktree,
      branch: before.gitBranch,
    },
    fileHashes: new Map(),
    createdAt: session.lastEventAt,
    eventSeq: events.length,
  })
  const view = foldCheckpoints([checkpoint])
  const sessionId = sessionIdOf(session.harness, session.key)
  return {
    ...one,
    sessionId,
    at: session.lastEventAt,
    render: (adjust) =>
      renderRecovery(unchecked(view), {
        budgetChars: BUDGET_CHARS,
        sha256,
        ...(adjust === undefined ? {} : { adjust }),
      }),
    needed: neededOf(trace, view.work),
    labels: ({ text, reasons }) => {
      const injection = {
        sessionId,
        at: session.lastEventAt,
        kind: 'recovery',
        epoch: 1,
        chars: text.length,
        textHash: '',
        sources: [],
        reasons,
      } as const
      return labelsOf([injection], [usageOf(injection, trace)], trace.calls.length)
    },
  }
}
