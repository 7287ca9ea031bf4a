import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { SubagentRef, TranscriptItem } from '../../kernel/event.ts'
import { EventId, SessionKey } from '../../kernel/id.ts'
import type { Arrival } from '../contract/connector.ts'
import { asObject } from '../../kernel/json-shape.ts'
import { getConnector } from '../registry.ts'
import { createTranscripts } from '../transcripts.ts'

const fixture = (name: string) => readFileSync(join(import.meta.dirname, 'fixtures', name))
const FAILURES = 'codex-failures@0.166.0.jsonl'
const arrival: Arrival = { id: EventId('arrival-1'), at: '2026-11-15T18:00:00.000Z', door: 'hook' }

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-live-'))
  path = join(folder, 'transcript.jsonl')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

interface Source {
  readonly harness: string
  readonly sessionKey: string
  readonly subagent?: SubagentRef
}

async function readRest(source: Source, offset: number): Promise<{ items: TranscriptItem[]; offset: number }> {
  const transcripts = createTranscripts()
  const items: TranscriptItem[] = []
  for (let at = offset; ; ) {
    const chunk = await transcripts.readFrom({ ...source, path, sessionKey: SessionKey(source.sessionKey) }, at)
    items.push(...chunk.items)
    if (chunk.nextOffset === at) return { items, offset: at }
    at = chunk.nextOffset
  }
}

async function readAll(source: Source, bytes: Buffer) {
  writeFileSync(path, bytes)
  return (await readRest(source, 0)).items
}

/** The merged result: the log takes an event id once, a statement counts once, of measures the newest. */
function told(items: readonly TranscriptItem[]): readonly string[] {
  const lines = items.flatMap((item) => {
    if (item.type === 'note')
      return item.note.kind === 'context-measured' ? [] : [JSON.stringify({ ...item.note, at: 0 })]
    const { event } = item
    return [`${event.id} ${event.kind === 'tool-finished' ? `${event.outcome.ok} ${event.outcome.exitStatus}` : ''}`]
  })
  return [...new Set(lines)]
}

test.each([
  ['codex', FAILURES],
  ['codex', 'codex-autocompact@0.166.0.jsonl'],
  ['gemini-cli', 'gemini-cli-session@0.61.0.jsonl'],
])('property: read in any pieces, a transcript of %s (%s) says what it says as a whole', async (harness, file) => {
  const recorded = fixture(file)
  const source = { harness, sessionKey: 's1' }
  const whole = told(await readAll(source, recorded))
  expect(whole.length).toBeGreaterThan(3)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: recorded.length }), { minLength: 1, maxLength: 8 }), async (cuts) => {
      writeFileSync(path, '')
      const items: TranscriptItem[] = []
      let offset = 0
      let from = 0
      for (const to of [...cuts, recorded.length].sort((a, b) => a - b)) {
        appendFileSync(path, recorded.subarray(from, to))
        from = to
        const piece = await readRest(source, offset)
        items.push(...piece.items)
        offset = piece.offset
      }
      expect(told(items)).toEqual(whole)
    }),
    { numRuns: 30 },
  )
})

function hookEvent(harness: string, file: string) {
  const fixtures = join(import.meta.dirname, '..', harness, 'fixtures')
  const { payload } = asObject(JSON.parse(readFileSync(join(fixtures, file), 'utf8')))
  return getConnector(harness).readEvent(file.split(/[.@]/)[0] ?? '', payload, arrival)
}

test('Codex: a failed command has its exit status, a patch that failed has its reason, and no hook told either', async () => {
  const failed = hookEvent('codex', 'PostToolUse.Bash_failed@0.166.0.json')
  const items = await readAll({ harness: 'codex', sessionKey: failed?.sessionKey ?? '' }, fixture(FAILURES))
  const finished = items.flatMap((item) =>
    item.type === 'event' && item.event.kind === 'tool-finished' ? [item.event] : [],
  )
  expect(finished.map(({ tool, outcome }) => ({ name: tool.name, outcome }))).toEqual([
    { name: 'apply_patch', outcome: { ok: true, exitStatus: 0 } },
    {
      name: 'apply_patch',
      outcome: { ok: false, output: expect.stringContaining('apply_patch verification failed') },
    },
    { name: 'exec_command', outcome: { ok: false, exitStatus: 4, output: 'two failed\n' } },
  ])
  expect(finished.at(-1)?.id).toBe(failed?.id)
})

test('Codex: a prompt has one id, whether its hook or its transcript reports it', async () => {
  const hook = hookEvent('codex', 'UserPromptSubmit@0.166.0.json')
  const source = { harness: 'codex', sessionKey: hook?.sessionKey ?? '' }
  const items = await readAll(source, fixture('codex-autocompact@0.166.0.jsonl'))
  const prompts = items.flatMap((item) =>
    item.type === 'event' && item.event.kind === 'prompt-submitted' ? [item.event] : [],
  )
  expect(prompts.map(({ prompt }) => prompt.split('\n')[0])).toEqual(['scripted', 'resume scripted'])
  expect(prompts[0]?.id).toBe(hook?.id)
})

test('Codex: beside hooks a compaction is not counted a second time, nor a call that is under way', async () => {
  const items = await readAll({ harness: 'codex', sessionKey: 's1' }, fixture('codex-autocompact@0.166.0.jsonl'))
  const kinds = items.flatMap((item) => (item.type === 'event' ? [item.event.kind] : []))
  expect(new Set(kinds)).toEqual(new Set(['prompt-submitted', 'tool-finished', 'turn-ended']))
})

test('Codex: the end of a turn has one id, from its hook and from the transcript', async () => {
  const hook = hookEvent('codex', 'Stop@0.166.0.json')
  const source = { harness: 'codex', sessionKey: hook?.sessionKey ?? '' }
  const items = await readAll(source, fixture('codex-autocompact@0.166.0.jsonl'))
  const ends = items.flatMap((item) => (item.type === 'event' && item.event.kind === 'turn-ended' ? [item.event] : []))
  expect(ends.map(({ id, lastMessage }) => ({ id, lastMessage }))).toEqual([
    { id: hook?.id, lastMessage: 'CODEX-DONE' },
  ])
})

test('Codex: what stands in a subagent’s own file is the subagent’s', async () => {
  const subagent = { id: 'agent-1', type: 'default' }
  const items = await readAll({ harness: 'codex', sessionKey: 's1', subagent }, fixture(FAILURES))
  const events = items.flatMap((item) => (item.type === 'event' ? [item.event] : []))
  expect(events.length).toBeGreaterThan(2)
  expect(events.every((event) => event.subagent?.id === 'agent-1')).toBe(true)
})

test('Gemini CLI: compression is known only from the transcript, as its end and a start that gets recovery', async () => {
  const source = { harness: 'gemini-cli', sessionKey: 's1' }
  const items = await readAll(source, fixture('gemini-cli-session@0.61.0.jsonl'))
  const events = items.flatMap((item) => (item.type === 'event' ? [item.event] : []))
  expect(events.map(({ id, kind }) => ({ id, kind }))).toEqual([
    {
      id: 'gemini-cli/s1/compaction-finished/e5e75310-3b77-482d-9453-9c74bd913d0b',
      kind: 'compaction-finished',
    },
    { id: 'gemini-cli/s1/session-started/e5e75310-3b77-482d-9453-9c74bd913d0b', kind: 'session-started' },
  ])
  expect(events.at(-1)).toMatchObject({ source: 'compact' })
  const notes = items.flatMap((item) => (item.type === 'note' ? [item.note] : []))
  expect(notes.flatMap((note) => (note.kind === 'statement' ? [note.text] : []))).toEqual(['GEM-DONE', 'GEM2'])
  expect(notes.at(-1)).toEqual({ kind: 'context-measured', contextTokens: 900_025, model: 'gemini-3.8-flash' })
})
