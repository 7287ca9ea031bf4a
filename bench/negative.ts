// bench: what would be kept as tried and failed, on real transcripts: how much, of which kind, and how soon it was over
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { SessionEvent } from '../src/kernel/event.ts'
import { noAttempts, type AttemptState } from '../src/memory/failures/attempts.ts'
import { keyedCommands } from '../src/kernel/shell/command-key.ts'
import { isStale, toScope, toScopes } from '../src/memory/failures/failed-approaches.ts'
import { detectFindings } from '../src/memory/failures/findings.ts'
import { type RepeatedFailure } from '../src/kernel/memory.ts'
import { foldAttempt } from '../src/memory/failures/fold-attempts.ts'
import { detectLoops } from '../src/memory/failures/command-loop.ts'
import { keysToMatch, readRun } from '../src/memory/failures/run-verdict.ts'
import { describeFailure } from '../src/memory/failures/wording.ts'
import { readTranscriptFile } from '../src/harness/transcripts.ts'
import { benchArguments } from './arguments.ts'
import { HARNESS_OF } from './formats.ts'

const REPEATS = 3

const { values } = benchArguments({
  options: {
    data: { type: 'string', default: '../shared/eval' },
    split: { type: 'string', default: 'open' },
    /** Prints every finding, with the runs behind it, to be judged by a person. */
    show: { type: 'boolean', default: false },
  },
})

async function eventsOf(path: string, harness: string): Promise<readonly SessionEvent[]> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'))
  try {
    const plain = join(folder, basename(path, '.gz'))
    writeFileSync(plain, gunzipSync(readFileSync(path)))
    const { items } = await readTranscriptFile(plain, harness)
    return items.flatMap((item) => (item.type === 'event' ? [item.event] : []))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function nameOf({ kind, keys, traits }: RepeatedFailure): string {
  return `${kind} ${kind === 'recurring-error' ? traits.join() : keys.join()}`
}

interface Judged {
  readonly finding: RepeatedFailure
  /** Events until the command succeeded again; absent if it never did. */
  readonly overAfter?: number
}

/** Every finding there ever was, as if the session had died at any moment. */
function everFound(events: readonly SessionEvent[]): { all: readonly Judged[]; state: AttemptState; loops: number } {
  let state = noAttempts()
  const open = new Map<string, RepeatedFailure>()
  const closed: Judged[] = []
  const loops = new Set<string>()
  const worktree = events.find(({ cwd }) => cwd !== undefined)?.cwd
  events.forEach((event, index) => {
    state = foldAttempt(state, { seq: index + 1, event }, { worktree })
    const now = new Map(detectFindings(state).map((finding) => [nameOf(finding), finding]))
    for (const [key, finding] of open) {
      if (now.has(key)) continue
      open.delete(key)
      closed.push({ finding, overAfter: index + 1 - (finding.seqs.at(-1) ?? 0) })
    }
    for (const [key, finding] of now) open.set(key, finding)
    for (const loop of detectLoops(state, { repeats: REPEATS })) loops.add(loop.key)
  })
  return { all: [...closed, ...[...open.values()].map((finding) => ({ finding }))], state, loops: loops.size }
}

interface Manifest {
  readonly file: string
  readonly repo: string
  readonly start: string
  readonly branches?: readonly string[]
}

function isManifest(value: unknown): value is Manifest {
  if (typeof value !== 'object' || value === null) return false
  return 'file' in value && 'repo' in value && 'start' in value && typeof value.file === 'string'
}

/** By file: which repository it is of, and when it began. */
function manifestIn(folder: string): ReadonlyMap<string, Manifest> {
  const path = join(folder, 'manifest.jsonl')
  const lines = existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : []
  const rows = lines.map((line): unknown => JSON.parse(line)).filter(isManifest)
  return new Map(rows.map((row) => [row.file, row]))
}

interface Transcript extends Manifest {
  readonly events: readonly SessionEvent[]
}

/** What the sessions of one repository would have injected each other before a command, and how the command then went. */
function countLaterWarnings(transcripts: readonly Transcript[]): { injected: number; failedAgain: number } {
  const known = new Map<string, { readonly finding: RepeatedFailure; readonly at: string }>()
  let injected = 0
  let failedAgain = 0
  for (const { events, start, branches } of transcripts.toSorted((a, b) => (a.start < b.start ? -1 : 1))) {
    const seen = new Set<RepeatedFailure>()
    const branch = branches?.at(-1)
    const worktree = events.find(({ cwd }) => cwd !== undefined)?.cwd
    for (const event of events) {
      if (event.kind !== 'tool-finished' || event.tool.kind !== 'shell') continue
      const { verdict } = readRun(event.tool, event.outcome, { worktree, cwd: event.cwd })
      const keys = keysToMatch(
        keyedCommands(event.tool.command ?? '', { worktree, cwd: event.cwd, ranIn: event.tool.cwd }),
      )
      const scopes = toScopes(keys, branch)
      for (const { finding, at } of new Set(scopes.flatMap((scope) => known.get(scope) ?? []))) {
        if (seen.has(finding) || isStale(at, start)) continue
        seen.add(finding)
        injected += 1
        failedAgain += verdict === 'failed' ? 1 : 0
      }
      if (verdict === 'passed') for (const scope of scopes) known.delete(scope)
    }
    for (const finding of everFound(events).all.flatMap((one) => (one.overAfter === undefined ? [one.finding] : [])))
      for (const key of finding.keys) known.set(toScope(key, finding.purpose, branch), { finding, at: start })
  }
  return { injected, failedAgain }
}

function show(name: string, events: readonly SessionEvent[], { finding, overAfter }: Judged): void {
  console.log(`\n### ${name} ${overAfter === undefined ? 'OPEN AT THE END' : `over ${overAfter} events later`}`)
  console.log(describeFailure(finding))
  for (const seq of finding.seqs) {
    const event = events[seq - 1]
    if (event?.kind !== 'tool-finished') continue
    const output = (event.outcome.output ?? '').replace(/\s+/g, ' ').slice(-300)
    console.log(`   ${seq} exit ${event.outcome.exitStatus} $ ${event.tool.command?.slice(0, 200)}\n      … ${output}`)
  }
}

async function main(): Promise<number> {
  const folder = join(resolve(values.data), values.split, 'transcripts')
  if (!existsSync(folder)) {
    console.log(`No data in ${folder}: pass --data DIR with a folder that holds ${values.split}/transcripts.`)
    return 0
  }
  const totals = { sessions: 0, withAny: 0, atEnd: 0, ever: 0, loops: 0, idleRounds: 0, tools: 0, failed: 0 }
  const kinds = new Map<string, number>()
  const manifest = manifestIn(folder)
  const ofRepo = new Map<string, Transcript[]>()
  let most = 0
  for (const [format, harness] of Object.entries(HARNESS_OF)) {
    if (!existsSync(join(folder, format))) continue
    for (const file of readdirSync(join(folder, format)).toSorted()) {
      const events = await eventsOf(join(folder, format, file), harness)
      const row = manifest.get(`${format}/${file}`)
      if (row !== undefined) ofRepo.set(row.repo, [...(ofRepo.get(row.repo) ?? []), { ...row, events }])
      const { all, state, loops } = everFound(events)
      const atEnd = all.filter(({ overAfter }) => overAfter === undefined)
      totals.sessions += 1
      totals.withAny += atEnd.length > 0 ? 1 : 0
      totals.atEnd += atEnd.length
      totals.ever += all.length
      totals.loops += loops
      totals.idleRounds += state.cycle.idle
      totals.tools += events.filter(({ kind }) => kind === 'tool-finished').length
      totals.failed += events.filter((event) => event.kind === 'tool-finished' && !event.outcome.ok).length
      most = Math.max(most, atEnd.length)
      for (const { finding } of all) kinds.set(finding.kind, (kinds.get(finding.kind) ?? 0) + 1)
      if (values.show) for (const one of all) show(`${format}/${file}`, events, one)
    }
  }
  console.log(`sessions ${totals.sessions}, tool calls ${totals.tools}, of them failed ${totals.failed}`)
  console.log(
    `kept at the end: ${totals.atEnd} (${(totals.atEnd / Math.max(1, totals.sessions)).toFixed(2)} a session, at most ${most}), in ${totals.withAny} sessions`,
  )
  console.log(
    `ever found, also what was over later: ${totals.ever} (${[...kinds].map((kind) => kind.join(' ')).join(', ')})`,
  )
  const across = [...ofRepo.values()].map(countLaterWarnings)
  const sum = (pick: (one: (typeof across)[number]) => number) => across.reduce((total, one) => total + pick(one), 0)
  console.log(
    `warnings before a command of a later session: ${sum(({ injected }) => injected)}, which then failed again: ${sum(({ failedAgain }) => failedAgain)}`,
  )
  console.log(`loops reported: ${totals.loops}; compaction cycles without progress: ${totals.idleRounds}`)
  return 0
}

process.exitCode = await main()
