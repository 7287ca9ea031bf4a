import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { TranscriptItem } from '../kernel/event.ts'
import { SessionKey } from '../kernel/id.ts'
import { readTranscriptFile, createTranscripts } from './transcripts.ts'

const recorded = readFileSync(
  join(import.meta.dirname, 'transcript', 'fixtures', 'claude-code-autocompact@2.1.325.jsonl'),
)

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-transcript-'))
  path = join(folder, 's1.jsonl')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const source = () => ({ harness: 'claude-code', path, sessionKey: SessionKey('s1') })

async function readRest(offset: number): Promise<{ items: TranscriptItem[]; offset: number }> {
  const transcripts = createTranscripts()
  const items: TranscriptItem[] = []
  for (let at = offset; ; ) {
    const chunk = await transcripts.readFrom(source(), at)
    items.push(...chunk.items)
    if (chunk.nextOffset === at) return { items, offset: at }
    at = chunk.nextOffset
  }
}

const isMeasure = (item: TranscriptItem) => item.type === 'note' && item.note.kind === 'context-measured'

/** How much context was in use is said once per read; only the newest counts. */
function comparable(items: readonly TranscriptItem[]) {
  return { items: items.filter((item) => !isMeasure(item)), context: items.findLast(isMeasure) }
}

test('property: read in any pieces, a transcript says what it says as a whole', async () => {
  writeFileSync(path, recorded)
  const whole = comparable((await readRest(0)).items)
  expect(whole.items.length).toBeGreaterThan(5)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: recorded.length }), { minLength: 1, maxLength: 12 }), async (cuts) => {
      writeFileSync(path, '')
      const items: TranscriptItem[] = []
      let offset = 0
      let from = 0
      for (const to of [...cuts, recorded.length].sort((a, b) => a - b)) {
        appendFileSync(path, recorded.subarray(from, to))
        from = to
        const piece = await readRest(offset)
        items.push(...piece.items)
        offset = piece.offset
      }
      expect(comparable(items)).toEqual(whole)
    }),
    { numRuns: 40 },
  )
})

test('a finished subagent’s tool calls are read from its own file, before the result that reports it', async () => {
  const line = (record: unknown) => `${JSON.stringify(record)}\n`
  const at = '2026-11-15T12:00:00.000Z'
  const call = (id: string, name: string, input: unknown) =>
    line({ type: 'assistant', timestamp: at, message: { content: [{ type: 'tool_use', id, name, input }] } })
  const result = (id: string, toolUseResult: unknown) =>
    line({
      type: 'user',
      timestamp: at,
      toolUseResult,
      message: { content: [{ type: 'tool_result', tool_use_id: id, content: 'ok' }] },
    })
  mkdirSync(join(folder, 's1', 'subagents'), { recursive: true })
  writeFileSync(
    join(folder, 's1', 'subagents', 'agent-a1.jsonl'),
    call('t2', 'Edit', { file_path: '/p/a.ts', old_string: 'x', new_string: 'y' }) + result('t2', {}),
  )
  writeFileSync(
    path,
    call('t1', 'Agent', { subagent_type: 'Explore' }) + result('t1', { status: 'completed', agentId: 'a1' }),
  )
  const { items } = await readRest(0)
  expect(
    items.map((item) =>
      item.type === 'event' ? [item.event.kind, item.event.id, item.event.subagent?.id] : item.note.kind,
    ),
  ).toEqual([
    ['tool-finished', 'claude-code/s1/tool-finished/t2', 'a1'],
    ['subagent-started', 'claude-code/s1/subagent-started/a1', 'a1'],
    ['subagent-finished', 'claude-code/s1/subagent-finished/a1', 'a1'],
    ['tool-finished', 'claude-code/s1/tool-finished/t1', undefined],
  ])
})

test('an agent id cannot lead out of the session’s folder', async () => {
  const line = (record: unknown) => `${JSON.stringify(record)}\n`
  writeFileSync(
    join(folder, 'agent-secret.jsonl'),
    line({ type: 'assistant', message: { content: [{ type: 'tool_use', id: 't9', name: 'Bash', input: {} }] } }) +
      line({ type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 't9' }] } }),
  )
  writeFileSync(
    path,
    line({ type: 'assistant', message: { content: [{ type: 'tool_use', id: 't1', name: 'Task', input: {} }] } }) +
      line({
        type: 'user',
        toolUseResult: { status: 'completed', agentId: '../../agent-secret' },
        message: { content: [{ type: 'tool_result', tool_use_id: 't1' }] },
      }),
  )
  const { items } = await readRest(0)
  expect(items.some((item) => item.type === 'event' && item.event.id.includes('t9'))).toBe(false)
})

test('a harness without a live transcript gives nothing', async () => {
  expect(await createTranscripts().readFrom({ ...source(), harness: 'unheard-of' }, 7)).toEqual({
    items: [],
    nextOffset: 7,
    isTail: false,
  })
})

test('a whole file names its session and folder, and its last line may lack a newline', async () => {
  writeFileSync(path, recorded.subarray(0, recorded.length - 1))
  const { items, ...facts } = await readTranscriptFile(path, 'claude-code')
  expect(facts).toEqual({
    isTail: false,
    sessionKey: 'f66aa3d9-c26e-4d01-839c-d2d6af8908e2',
    cwd: '/home/dev/proj',
    gitBranch: 'master',
  })
  // One more since the end of a turn is read from the transcript too.
  expect(items.length).toBe(10)
})

test('a missing file and an unknown format are refused', async () => {
  await expect(readTranscriptFile(join(folder, 'none'), 'claude-code')).rejects.toMatchObject({ code: 'not-found' })
  await expect(readTranscriptFile(folder, 'claude-code')).rejects.toMatchObject({ code: 'not-found' })
  await expect(readTranscriptFile(path, 'unheard-of')).rejects.toMatchObject({ code: 'invalid-input' })
})
