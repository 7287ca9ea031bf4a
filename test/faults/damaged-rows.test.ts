import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CheckpointId, EventId, MemoryId, ProjectId } from '../../src/kernel/id.ts'
import { PHASES } from '../../src/kernel/session.ts'
import type { Store } from '../../src/kernel/ports/ports.ts'
import { openSqliteStore } from '../../src/storage/sqlite/engine.ts'
import { rememberingLog } from '../support/recording-log.ts'
import {
  aCheckpoint,
  aMemory,
  anEnd,
  aPlace,
  aPrompt,
  aStart,
  CADENCE,
  HARNESS,
  idOf,
  keyOf,
  minutesLater,
  START,
} from '../contracts/store-examples.ts'
import { DAMAGES } from './support/damage.ts'
import { createRandom, seedOf } from './support/random.ts'

// What test/faults/corrupt-database.test.ts does once through the product, here many times on the store itself: every table has rows,
// and every question is asked.

const ROUNDS = Number(process.env['FAULT_ROUNDS'] ?? 8)
const SESSIONS = 24
const PROJECT = ProjectId('project-a')

async function fill(store: Store): Promise<void> {
  const place = aPlace()
  for (let number = 0; number < SESSIONS; number += 1) {
    const name = `s${number}`
    const events = [
      aStart(name, { cwd: '/home/dev/a' }),
      aPrompt(name, { prompt: `Step ${number} ${'word '.repeat(80)}` }),
    ]
    const entries = [...events, ...(number % 3 === 0 ? [] : [anEnd(name)])].map((event) => ({ event, location: place }))
    await store.append(entries, CADENCE)
    await store.saveCheckpoint(aCheckpoint(name))
    await store.saveMemory(aMemory(`memory number${number} of many`, { tags: ['a', `tag${number}`] }))
    await store.saveWork({
      sessionId: idOf(name),
      eventSeq: number,
      transcriptOffset: number,
      state: `{"n":${number}}`,
    })
    await store.recordInjection({
      sessionId: idOf(name),
      at: START,
      kind: 'recovery',
      epoch: 1,
      chars: 10,
      textHash: 'abc',
      sources: ['one'],
      reasons: [{ line: 'a line', origin: 'digest', reason: 'newest' }],
    })
    await store.recordSighting({ harness: HARNESS, harnessVersion: `1.${number}`, hook: 'Stop', at: START })
    await store.saveProject({ name, rootPath: `/home/dev/${name}`, projectId: PROJECT, addedAt: START })
    await store.saveKeyword(name, `keyword-${number}`)
    await store.saveIntent({
      id: `intent-${number}`,
      projectId: PROJECT,
      worktree: '/home/dev/a',
      sessionLabel: name,
      intent: 'Make the parser faster',
      files: ['src/parse.ts'],
      startedAt: START,
    })
    await store.saveEntity({
      projectId: PROJECT,
      name: `parse${number}`,
      type: 'function',
      file: 'src/parse.ts',
      line: number,
      lastSeenAt: START,
    })
    await store.saveSummary({
      id: `summary-${number}`,
      projectId: PROJECT,
      worktree: '/home/dev/a',
      summary: 'Parser done.',
      filesChanged: ['src/parse.ts'],
      entitiesRegistered: ['parse'],
      checklistProgress: { 'P1.2': 'done' },
      savedAt: START,
    })
    await store.savePhase({ sessionLabel: name, phase: 'CODE', at: START })
    const run = { command: 'npm test', ok: true, output: 'passed', at: START, durationMs: 5 }
    const item = {
      itemId: `P${number}`,
      section: 'One',
      text: 'Do it',
      status: 'done',
      by: 'agent',
      at: START,
    } as const
    await store.saveChecklistRecords([{ id: `record-${number}`, projectId: PROJECT, ...item, run }])
  }
}

const ALL = { projectId: PROJECT, limit: 1_000 }
const OLD = { now: minutesLater(1), retentionDays: 30, sliceRows: 100 }

type Step = readonly [what: string, take: (store: Store) => Promise<unknown>]

const READS: readonly Step[] = [
  ['listSessions', (store) => store.listSessions({ limit: 1_000 })],
  ['listSessions of a project', (store) => store.listSessions(ALL)],
  ['listSessions by phase', (store) => store.listSessions({ phases: PHASES, limit: 1_000 })],
  ['findSessionsByKey', (store) => store.findSessionsByKey(keyOf('s1'))],
  [
    'findSession',
    (store) => Promise.all(Array.from({ length: SESSIONS }, (_, at) => store.findSession(idOf(`s${at}`)))),
  ],
  ['listEvents', (store) => store.listEvents({ limit: 1_000 })],
  ['knownEvents', (store) => store.knownEvents([EventId('event-1')])],
  ['lastSeq', (store) => store.lastSeq()],
  ['listCheckpoints', (store) => store.listCheckpoints(ALL)],
  ['findCheckpoint', (store) => store.findCheckpoint(CheckpointId('checkpoint-1'))],
  ['listMemories', (store) => store.listMemories(ALL)],
  ['findMemory', (store) => store.findMemory(MemoryId('memory-1'))],
  ['searchMemories', (store) => store.searchMemories({ ...ALL, text: 'memory many' })],
  ['findWork', (store) => Promise.all(Array.from({ length: SESSIONS }, (_, at) => store.findWork(idOf(`s${at}`))))],
  ['listInjections', (store) => store.listInjections({ limit: 1_000 })],
  ['listSightings', (store) => store.listSightings()],
  ['listProjects', (store) => store.listProjects()],
  ['listIntents', (store) => store.listIntents(ALL)],
  ['listEntities', (store) => store.listEntities(ALL)],
  ['listSummaries', (store) => store.listSummaries(ALL)],
  ['listChecklistRecords', (store) => store.listChecklistRecords(ALL)],
  ['findPhase', (store) => store.findPhase('s1')],
  ['counts', (store) => store.counts()],
]

const WRITES: readonly Step[] = [
  [
    'append to every session',
    async (store) => {
      for (let number = 0; number < SESSIONS; number += 1)
        await store.append([{ event: aPrompt(`s${number}`), location: aPlace() }], CADENCE)
    },
  ],
  ['append to a new session', (store) => store.append([{ event: aStart('new'), location: aPlace() }], CADENCE)],
  ['markInterrupted', (store) => store.markInterrupted(idOf('s3'), START)],
  ['noteObserved', (store) => store.noteObserved(idOf('s3'), { contextTokens: 5 })],
  ['saveCheckpoint', (store) => store.saveCheckpoint(aCheckpoint('s3'))],
  ['saveMemory', (store) => store.saveMemory(aMemory('a new memory'))],
  ['recordHits', (store) => store.recordHits([MemoryId('memory-1')], START)],
  ['saveWork', (store) => store.saveWork({ sessionId: idOf('s1'), eventSeq: 1, transcriptOffset: 1, state: '{}' })],
  [
    'recordSighting',
    (store) => store.recordSighting({ harness: HARNESS, harnessVersion: '1.1', hook: 'Stop', at: START }),
  ],
  ['saveProject', (store) => store.saveProject({ name: 's1', rootPath: '/x', projectId: PROJECT, addedAt: START })],
  ['completeIntents', (store) => store.completeIntents({ projectId: PROJECT, sessionLabel: 's1', completedAt: START })],
  ['savePhase', (store) => store.savePhase({ sessionLabel: 's1', phase: 'PLAN', at: START })],
  ['pruneCheckpoints', (store) => store.pruneCheckpoints({ ...OLD, maxPerSession: 2 })],
  ['pruneEvents', (store) => store.pruneEvents(OLD)],
  ['pruneLedgers', (store) => store.pruneLedgers(OLD)],
  ['pruneLocations', (store) => store.pruneLocations(OLD)],
  ['verify', (store) => store.verify()],
]

/** What refused, with its reason. */
async function refusals(store: Store, steps: readonly Step[]): Promise<readonly string[]> {
  const refused: string[] = []
  for (const [what, take] of steps) {
    try {
      await take(store)
    } catch (thrown) {
      refused.push(`${what}: ${String(thrown)}`)
    }
  }
  return refused
}

async function filledBytes(folder: string): Promise<Buffer> {
  const file = join(folder, 'sound.db')
  const store = await openSqliteStore({ file })
  await fill(store)
  await store[Symbol.asyncDispose]()
  return readFileSync(file)
}

const ORDERS = { 'read first': [...READS, ...WRITES, ...READS], 'written first': [...WRITES, ...READS] }

describe('a store whose file has', () => {
  test.each(DAMAGES)('$what answers every question and keeps what comes', async (damage) => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-rows-'))
    try {
      const sound = await filledBytes(folder)
      const first = seedOf(damage.what)
      const trouble: string[] = []
      const rounds = damage.isSame ? 1 : ROUNDS
      for (let round = 0; round < rounds; round += 1) {
        for (const [order, steps] of Object.entries(ORDERS)) {
          const dir = mkdtempSync(join(folder, 'round-'))
          const file = join(dir, 'holdfast.db')
          writeFileSync(file, damage.inflict(Buffer.from(sound), createRandom(first + round)))
          const log = rememberingLog()
          try {
            const store = await openSqliteStore({ file, quarantineDir: join(dir, 'quarantine'), log })
            const refused = await refusals(store, steps)
            await store[Symbol.asyncDispose]()
            trouble.push(...refused.map((line) => `FAULT_SEED=${first + round} ${order}: ${line}`))
          } catch (thrown) {
            trouble.push(`FAULT_SEED=${first + round} ${order}: open: ${String(thrown)}`)
          }
          rmSync(dir, { recursive: true, force: true })
        }
      }
      expect(trouble).toEqual([])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
