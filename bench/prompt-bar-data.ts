import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { z } from 'zod'
import type { TranscriptItem } from '../src/kernel/event.ts'
import { extractQueryTerms } from '../src/kernel/text/terms.ts'
import { relativePath } from '../src/kernel/paths/paths.ts'
import { readTranscriptFile } from '../src/harness/transcripts.ts'
import { HARNESS_OF } from './formats.ts'
import { retrievalFolder, type WorkedProject, workedProjectsIn } from './recall-data.ts'

/** Where a sentence comes from that is kept as a memory here. */
export const MEMORY_KINDS = ['said by the user', 'summary of a session', 'last words of a turn'] as const
export type MemoryKind = (typeof MEMORY_KINDS)[number]

export interface KeptSentence {
  readonly text: string
  readonly kind: MemoryKind
  /** What the work that it comes from touched. */
  readonly files: readonly string[]
}

export interface AskedPrompt {
  readonly text: string
  /** What the work that it asked for touched. */
  readonly files: readonly string[]
}

export interface AskingSession {
  readonly id: string
  /** When it asked first, and when all of it was known. */
  readonly from: string
  readonly until: string
  readonly prompts: readonly AskedPrompt[]
  readonly memories: readonly KeptSentence[]
}

export interface AskedProject {
  readonly name: string
  /** Oldest first. */
  readonly sessions: readonly AskingSession[]
}

const Manifest = z.object({
  repo: z.string(),
  session: z.string(),
  format: z.string(),
  file: z.string(),
})
type Manifest = z.infer<typeof Manifest>

/** Of one text: a pasted plan would be most of what there is otherwise. */
const MAX_SENTENCES = 5
const MIN_CHARS = 25
const MAX_CHARS = 300
const MIN_TERMS = 4
const MAX_TERMS = 30
/** Pasted output and code are not sentences. */
const PROSE = 0.8
const MARKUP = /^\s*(?:[-*+>#|]+|\d+[.)])\s*|\*\*|`/g

/** Sentences that could be kept as they are: they tell something and ask nothing. */
function sentencesOf(text: string): readonly string[] {
  return text
    .replaceAll(/```[\s\S]*?(?:```|$)/g, '\n')
    .split(/(?<=[.!?])\s|\n/)
    .map((sentence) => sentence.replaceAll(MARKUP, '').trim())
    .filter((sentence) => {
      if (sentence.length < MIN_CHARS || sentence.length > MAX_CHARS || /[?:]$/.test(sentence)) return false
      const terms = extractQueryTerms(sentence).length
      const letters = sentence.replaceAll(/[^\p{L}\s]/gu, '').length
      return (
        terms >= MIN_TERMS && terms <= MAX_TERMS && /^["'(]?\p{L}/u.test(sentence) && letters >= PROSE * sentence.length
      )
    })
    .slice(0, MAX_SENTENCES)
}

interface Collected {
  readonly from: string
  until: string
  readonly prompts: Map<string, AskedPrompt>
  readonly memories: Map<string, KeptSentence>
}

type Sessions = Map<string, Collected>

function sessionIn(sessions: Sessions, id: string, at: string): Collected {
  const known = sessions.get(id) ?? { from: at, until: at, prompts: new Map(), memories: new Map() }
  sessions.set(id, known)
  if (at > known.until) known.until = at
  return known
}

function keep(session: Collected, text: string, kind: MemoryKind, files: readonly string[]): void {
  for (const sentence of sentencesOf(text))
    if (!session.memories.has(sentence)) session.memories.set(sentence, { text: sentence, kind, files })
}

/** A later checkpoint of a session repeats the prompts of the earlier ones: each belongs to the first that has it. */
function fromCheckpoints({ works }: WorkedProject): Sessions {
  const sessions: Sessions = new Map()
  for (const { session: id, createdAt, prompts, files, summary } of works) {
    if (files.length === 0) continue
    // Some ids begin with the day; the same session's transcript goes without it.
    const session = sessionIn(sessions, id.replace(/^\d{4}-\d\d-\d\d-/, ''), createdAt)
    for (const text of prompts) {
      if (session.prompts.has(text)) continue
      session.prompts.set(text, { text, files })
      keep(session, text, 'said by the user', files)
    }
    for (const part of summary) keep(session, part, 'summary of a session', files)
  }
  return sessions
}

async function itemsOf(path: string, format: string): Promise<readonly TranscriptItem[]> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'))
  try {
    const plain = join(folder, basename(path, '.gz'))
    writeFileSync(plain, gunzipSync(readFileSync(path)))
    const { items } = await readTranscriptFile(plain, HARNESS_OF[format] ?? format)
    return items
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Turn {
  readonly prompt: string
  readonly at: string
  /** What was changed until the next prompt. */
  readonly files: Set<string>
  lastWords: string
}

function turnsOf(items: readonly TranscriptItem[]): readonly Turn[] {
  const turns: Turn[] = []
  let worktree: string | undefined
  for (const item of items) {
    const turn = turns.at(-1)
    if (item.type !== 'event') {
      if (item.note.kind === 'statement' && turn !== undefined) turn.lastWords = item.note.text
      continue
    }
    const { event } = item
    worktree ??= event.cwd
    if (event.subagent !== undefined) continue
    if (event.kind === 'prompt-submitted')
      turns.push({ prompt: event.prompt, at: event.at, files: new Set(), lastWords: '' })
    if (turn === undefined || event.kind !== 'tool-finished' || !event.outcome.ok) continue
    for (const { path, action } of event.tool.files) {
      const file = action === 'read' ? undefined : relativePath(path, { worktree, cwd: event.cwd })
      if (file !== undefined) turn.files.add(file)
    }
  }
  return turns
}

/** A prompt is about what was changed after it, the last words of a turn about what was changed before them. */
function addTranscript(sessions: Sessions, id: string, turns: readonly Turn[]): void {
  const filesOf = (some: readonly Turn[]) => [...new Set(some.flatMap(({ files }) => [...files]))]
  const isNew = !sessions.has(id)
  for (const [at, turn] of turns.entries()) {
    const after = filesOf(turns.slice(at))
    const session = sessionIn(sessions, id, turn.at)
    if (isNew && after.length > 0 && !session.prompts.has(turn.prompt)) {
      session.prompts.set(turn.prompt, { text: turn.prompt, files: after })
      keep(session, turn.prompt, 'said by the user', after)
    }
    const before = filesOf(turns.slice(0, at + 1))
    if (before.length > 0) keep(session, turn.lastWords, 'last words of a turn', before)
  }
}

function manifestIn(folder: string): readonly Manifest[] {
  const path = join(folder, 'manifest.jsonl')
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => Manifest.parse(JSON.parse(line)))
}

/** What is said in two sessions in the same words is a template that nobody would keep; a prompt counts where it was first. */
function projectOf(name: string, collected: Sessions): AskedProject {
  const sessions = [...collected].toSorted(([, a], [, b]) => (a.from < b.from ? -1 : 1))
  const saidIn = new Map<string, number>()
  for (const [, { memories }] of sessions)
    for (const text of memories.keys()) saidIn.set(text, (saidIn.get(text) ?? 0) + 1)
  const asked = new Set<string>()
  return {
    name,
    sessions: sessions.map(([id, { from, until, prompts, memories }]) => {
      const first = [...prompts.values()].filter(({ text }) => !asked.has(text))
      for (const { text } of first) asked.add(text)
      const kept = [...memories.values()].filter(({ text }) => saidIn.get(text) === 1)
      return { id, from, until, prompts: first, memories: kept }
    }),
  }
}

/** Every project of a split; none when there is no data. */
export async function askedProjectsIn(data: string, split: string): Promise<readonly AskedProject[]> {
  const byRepo = new Map<string, Sessions>()
  const retrieval = retrievalFolder(data, split)
  for (const project of retrieval === undefined ? [] : workedProjectsIn(retrieval))
    byRepo.set(project.name, fromCheckpoints(project))
  const transcripts = join(data, split, 'transcripts')
  for (const { repo, session, format, file } of manifestIn(transcripts)) {
    const sessions: Sessions = byRepo.get(repo) ?? new Map()
    byRepo.set(repo, sessions)
    addTranscript(sessions, session, turnsOf(await itemsOf(join(transcripts, file), format)))
  }
  return [...byRepo].map(([name, sessions]) => projectOf(name, sessions))
}
