import { describe, expect, test } from 'vitest'
import type { Entity, Intent, SessionSummary } from '../../src/kernel/agent-records.ts'
import { ProjectId } from '../../src/kernel/id.ts'
import type { OpenStoreForTest } from './store-contract.ts'
import { idOf, minutesLater } from './store-examples.ts'

const HERE = ProjectId('project-a')
const ELSEWHERE = ProjectId('project-b')

function anIntent(id: string, intent: Partial<Intent> = {}): Intent {
  return {
    id,
    projectId: HERE,
    worktree: '/home/dev/a',
    sessionLabel: 'one',
    intent: 'Make the parser faster',
    files: ['src/parse.ts', 'src/**/*.test.ts'],
    startedAt: minutesLater(1),
    ...intent,
  }
}

function aSummary(id: string, summary: Partial<SessionSummary> = {}): SessionSummary {
  return {
    id,
    projectId: HERE,
    worktree: '/home/dev/a',
    summary: 'Parser done; quotes and \u0000 and ünïcode stay.',
    filesChanged: ['src/parse.ts'],
    entitiesRegistered: ['parse'],
    checklistProgress: { 'P1.2': 'done' },
    savedAt: minutesLater(2),
    ...summary,
  }
}

function anEntity(name: string, entity: Partial<Entity> = {}): Entity {
  return {
    projectId: HERE,
    name,
    type: 'function',
    file: 'src/parse.ts',
    line: 12,
    lastSeenAt: minutesLater(1),
    ...entity,
  }
}

export function doorContract(open: OpenStoreForTest): void {
  describe('projects', () => {
    test('are listed by name; registering again moves the root and keeps keywords and age', async () => {
      await using opened = await open()
      const { store } = opened
      expect(await store.listProjects()).toEqual([])
      const project = { name: 'web', rootPath: '/home/dev/web', projectId: HERE, addedAt: minutesLater(0) }
      await store.saveProject(project)
      await store.saveProject({ ...project, name: 'api', projectId: ELSEWHERE })
      await store.saveKeyword('web', 'website')
      await store.saveKeyword('web', 'site')
      await store.saveKeyword('web', 'site')
      await store.saveProject({ ...project, rootPath: '/srv/web', addedAt: minutesLater(9) })
      expect(await store.listProjects()).toEqual([
        { ...project, name: 'api', projectId: ELSEWHERE, keywords: [] },
        { ...project, rootPath: '/srv/web', keywords: ['site', 'website'] },
      ])
    })
  })

  describe('intents', () => {
    test('are listed newest first, by project, by session, open or not', async () => {
      await using opened = await open()
      const { store } = opened
      const intents = [
        anIntent('i1', { startedAt: minutesLater(9) }),
        anIntent('i2', { sessionLabel: 'two', sessionId: idOf('two'), files: [] }),
        anIntent('i3', { completedAt: minutesLater(4), outcome: 'done' }),
      ]
      for (const intent of intents) await store.saveIntent(intent)
      await store.saveIntent(anIntent('i4', { projectId: ELSEWHERE }))
      await store.saveIntent(anIntent('i1', { intent: 'a second arrival of a known id' }))
      const list = (query: object = {}) => store.listIntents({ projectId: HERE, limit: 9, ...query })
      expect(await list()).toEqual(intents.toReversed())
      expect(await list({ limit: 1 })).toEqual([intents[2]])
      expect(await list({ limit: 1, offset: 1 })).toEqual([intents[1]])
      expect(await list({ sessionLabel: 'one' })).toEqual([intents[2], intents[0]])
      expect(await list({ isOpen: true })).toEqual([intents[1], intents[0]])
      expect(await list({ isOpen: false })).toEqual([intents[2]])
    })

    test('completing touches the open ones of that session and project only', async () => {
      await using opened = await open()
      const { store } = opened
      const before = anIntent('i1', { completedAt: minutesLater(2), outcome: 'first' })
      await store.saveIntent(before)
      await store.saveIntent(anIntent('i2'))
      await store.saveIntent(anIntent('i3', { sessionLabel: 'two' }))
      await store.saveIntent(anIntent('i4', { projectId: ELSEWHERE }))
      const completion = { projectId: HERE, sessionLabel: 'one', completedAt: minutesLater(8), outcome: 'all of it' }
      expect(await store.completeIntents(completion)).toBe(1)
      expect(await store.completeIntents({ ...completion, outcome: 'again' })).toBe(0)
      expect(await store.listIntents({ projectId: HERE, limit: 9 })).toEqual([
        anIntent('i3', { sessionLabel: 'two' }),
        anIntent('i2', { completedAt: minutesLater(8), outcome: 'all of it' }),
        before,
      ])
      expect(await store.listIntents({ projectId: ELSEWHERE, limit: 9 })).toEqual([
        anIntent('i4', { projectId: ELSEWHERE }),
      ])
    })
  })

  describe('entities', () => {
    test('are one for each project, type and name, and a known one moves', async () => {
      await using opened = await open()
      const { store } = opened
      await store.saveEntity(anEntity('parse'))
      await store.saveEntity(anEntity('Parser', { type: 'class', line: undefined }))
      await store.saveEntity(anEntity('parse', { type: 'type' }))
      await store.saveEntity(anEntity('Zed'))
      await store.saveEntity(anEntity('parse', { projectId: ELSEWHERE }))
      const moved = anEntity('parse', { file: 'lib/parse.ts', line: 3, lastSeenAt: minutesLater(7) })
      await store.saveEntity(moved)
      const { line: _line, ...withoutLine } = anEntity('Parser', { type: 'class' })
      expect(await store.listEntities({ projectId: HERE, limit: 9 })).toEqual([
        withoutLine,
        anEntity('Zed'),
        moved,
        anEntity('parse', { type: 'type' }),
      ])
      expect(await store.listEntities({ projectId: HERE, type: 'type', limit: 9 })).toEqual([
        anEntity('parse', { type: 'type' }),
      ])
      expect(await store.listEntities({ projectId: HERE, limit: 1 })).toEqual([withoutLine])
    })

    test('are deleted by name, of one type or of all, and only in their project', async () => {
      await using opened = await open()
      const { store } = opened
      for (const type of ['function', 'class', 'type'] as const) await store.saveEntity(anEntity('parse', { type }))
      await store.saveEntity(anEntity('parser'))
      await store.saveEntity(anEntity('parse', { projectId: ELSEWHERE }))
      expect(await store.deleteEntities({ projectId: HERE, name: 'parse', type: 'class' })).toBe(1)
      expect(await store.deleteEntities({ projectId: HERE, name: 'parse' })).toBe(2)
      expect(await store.deleteEntities({ projectId: HERE, name: 'parse' })).toBe(0)
      expect(await store.listEntities({ projectId: HERE, limit: 9 })).toEqual([anEntity('parser')])
      expect(await store.listEntities({ projectId: ELSEWHERE, limit: 9 })).toHaveLength(1)
    })
  })

  describe('summaries and phases', () => {
    test('summaries are listed newest first, and a known id is a no-op', async () => {
      await using opened = await open()
      const { store } = opened
      expect(await store.listSummaries({ projectId: HERE, limit: 5 })).toEqual([])
      const bare = { filesChanged: [], entitiesRegistered: [], checklistProgress: {}, summary: 'short' }
      await store.saveSummary(aSummary('s1', { ...bare, savedAt: minutesLater(9) }))
      await store.saveSummary(aSummary('s2', { ...bare, sessionLabel: 'one', sessionId: idOf('one') }))
      await store.saveSummary(aSummary('s3', { ...bare, projectId: ELSEWHERE }))
      await store.saveSummary(aSummary('s2', { summary: 'again' }))
      expect(await store.listSummaries({ projectId: HERE, limit: 5 })).toEqual([
        aSummary('s2', { ...bare, sessionLabel: 'one', sessionId: idOf('one') }),
        aSummary('s1', { ...bare, savedAt: minutesLater(9) }),
      ])
      const all = await store.listSummaries({ projectId: HERE, limit: 5 })
      expect(await store.listSummaries({ projectId: HERE, limit: 1 })).toEqual(all.slice(0, 1))
      expect(await store.listSummaries({ projectId: HERE, limit: 5, offset: 1 })).toEqual(all.slice(1))
    })

    test('text comes back as it was, but for a NUL, which no database keeps', async () => {
      await using opened = await open()
      const { store } = opened
      await store.saveSummary(aSummary('s1'))
      expect(await store.listSummaries({ projectId: HERE, limit: 5 })).toEqual([
        aSummary('s1', { summary: 'Parser done; quotes and \u2400 and ünïcode stay.' }),
      ])
    })

    test('the last phase set for a session is found', async () => {
      await using opened = await open()
      const { store } = opened
      expect(await store.findPhase('one')).toBeUndefined()
      await store.savePhase({ sessionLabel: 'one', phase: 'MAP', at: minutesLater(1) })
      await store.savePhase({ sessionLabel: 'one', phase: 'CODE', at: minutesLater(2) })
      expect(await store.findPhase('one')).toBe('CODE')
      expect(await store.findPhase('two')).toBeUndefined()
    })
  })
}
