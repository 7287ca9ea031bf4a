import { expect, test } from 'vitest'
import { CheckpointId, EventId, MemoryId } from '../kernel/id.ts'
import { systemClock } from '../platform/base/clock.ts'
import { parse } from '../platform/base/parse.ts'
import { type RouteName, ROUTES } from '../api/route-table.ts'
import { TASK_ROUTES } from '../api/tasks.ts'
import { startDaemon } from './start.ts'
import { openTestApp } from '../../test/support/app-setup.ts'
import { aStart, daemonOptions, requestBytes, sendRaw, temporaryHome } from '../../test/support/daemon-setup.ts'

/** Each by a test of its own: they answer otherwise than with JSON, or need a project with files. */
const ASKED_ELSEWHERE = new Set<string>([
  'login',
  'dashboardPage',
  'asset',
  'mcp',
  'mcpStream',
  'markItem',
  'reviewDraft',
  // They need a space: `test/journeys/sync.test.ts` drives them.
  'runSync',
  'addSpace',
  'removeSpace',
  'acceptMachine',
  // This daemon has no built program to start.
  'startImport',
  ...Object.keys(TASK_ROUTES),
])

test('every answer of the real thing is what the route table says', async () => {
  await using place = temporaryHome()
  const { home } = place
  const result = await startDaemon(daemonOptions(home, { clock: systemClock, openApp: () => openTestApp(home) }))
  if (result.kind !== 'started') throw new Error('Another daemon runs.')
  const asked = new Set<RouteName>()

  async function ask(name: RouteName, path: string = ROUTES[name].path, body?: unknown): Promise<unknown> {
    asked.add(name)
    const { method } = ROUTES[name]
    const headers: [string, string][] = [
      ['Host', 'localhost'],
      ['Content-Type', 'application/json'],
    ]
    const text = body === undefined ? '' : JSON.stringify(body)
    const reply = await sendRaw({ path: home.socket }, requestBytes({ method, target: path, headers, body: text }))
    expect({ name, status: reply.status, body: reply.status === 200 ? '' : reply.body }).toEqual({
      name,
      status: 200,
      body: '',
    })
    const route = ROUTES[name]
    return 'reply' in route ? parse(route.reply, JSON.parse(reply.body)) : reply.body
  }

  try {
    const cwd = encodeURIComponent(home.root)
    const start = { ...aStart(), cwd: home.root }
    const base = {
      harness: start.harness,
      sessionKey: start.sessionKey,
      at: start.at,
      door: 'api',
      cwd: home.root,
    } as const
    const prompts = Array.from({ length: 3 }, (_, n) => ({
      ...base,
      kind: 'prompt-submitted' as const,
      id: EventId(`prompt-${n}`),
      prompt: `please look at step ${n}`,
    }))
    expect(await ask('recordEvents', undefined, { events: [start, ...prompts] })).toMatchObject({
      recorded: [1, 2, 3, 4].map((seq) => ({ seq, isNew: true })),
    })
    const sessionId = 'claude-code/session-1'
    const made = await ask('checkpointNow', undefined, { sessionId, trigger: 'explicit' })
    expect(made).toMatchObject({ checkpoint: { checkpoint: { sessionKey: 'session-1', promptCount: 3 } } })
    const listed = await ask('listCheckpoints', `/api/checkpoints?project=${cwd}&limit=10`)
    expect(listed).toMatchObject({
      checkpoints: [{ session_key: 'session-1', harness: 'claude-code', trigger: 'explicit', prompt_count: 3 }],
    })
    expect(await ask('listSessionCheckpoints', '/api/checkpoints/session-1')).toEqual(listed)
    expect(await ask('listSessions', `/api/sessions?cwd=${cwd}&phases=idle,working`)).toMatchObject({
      sessions: [{ id: sessionId }],
    })
    expect(await ask('getSession', '/api/sessions/session-1')).toMatchObject({ session: { promptCount: 3 } })
    expect(await ask('listProjects')).toMatchObject({ projects: [{ sessions: 1 }] })
    expect(await ask('listEvents', '/api/events?afterSeq=2&kinds=prompt-submitted')).toMatchObject({
      events: [{ seq: 3 }, { seq: 4 }],
    })
    expect(await ask('locate', `/api/locate?cwd=${cwd}`)).toMatchObject({ place: { project: home.root } })
    await ask('previewRecovery', `/api/recovery?cwd=${cwd}`)
    await ask('inject', undefined, { event: start, maxChars: 2_000 })
    const injection = {
      sessionId,
      at: start.at,
      kind: 'notice',
      epoch: 1,
      chars: 1,
      textHash: 'h',
      sources: [],
      reasons: [],
    }
    await ask('confirmInjection', undefined, { injection })
    expect(await ask('listCheckpointHeads', '/api/checkpoint-heads?sessionKey=session-1&limit=2')).toMatchObject({
      heads: [{ sessionKey: 'session-1' }],
    })
    expect(await ask('ledger', '/api/ledger?sessionKey=session-1&limit=5')).toMatchObject({
      ledger: { entries: [{ kind: 'notice', chars: 1, estimatedTokens: 1 }] },
    })
    expect(await ask('sessionReceipts', '/api/receipts/session-1')).toMatchObject({
      receipts: [{ sessionKey: 'session-1', isWarm: false }],
    })
    expect(await ask('stats', `/api/stats?cwd=${cwd}`)).toMatchObject({ stats: { scorer: { isEnabled: false } } })
    expect(await ask('explain', '/api/explain?sessionKey=session-1')).toMatchObject({
      explanation: { injections: expect.arrayContaining([injection]) },
    })

    const remembered = await ask('remember', undefined, {
      content: 'the tests need a temporary home',
      cwd: home.root,
      source: 'api',
    })
    expect(await ask('listMemories', `/api/memories?cwd=${cwd}`)).toMatchObject({
      memories: [{ content: 'the tests need a temporary home' }],
    })
    expect(await ask('searchMemories', `/api/memories/search?q=temporary+home&cwd=${cwd}`)).toMatchObject({
      hits: [{ memory: { content: 'the tests need a temporary home' } }],
    })
    const memoryId = parse(ROUTES.remember.reply, remembered).memory.id
    expect(await ask('getMemory', `/api/memories/${memoryId}?cwd=${cwd}`)).toMatchObject({ history: [] })
    const edited = await ask('editMemory', `/api/memories/${memoryId}`, { cwd: home.root, importance: 8 })
    expect(edited).toMatchObject({ memory: { id: memoryId, importance: 8 } })
    const matching = { cwd: home.root, text: 'temporary home' }
    for (const isPreview of [true, false])
      expect(await ask('forgetMemories', undefined, { ...matching, isPreview })).toMatchObject({
        memories: [{ id: memoryId }],
      })
    expect(await ask('listDrafts', `/api/memory-drafts?cwd=${cwd}`)).toMatchObject({ drafts: [{ state: 'forgotten' }] })
    expect(await ask('restoreMemories', undefined, { ids: [memoryId] })).toMatchObject({ memories: [{ id: memoryId }] })
    await ask('forget', `/api/memories/${MemoryId(memoryId)}`)
    const checkpointId = parse(ROUTES.listCheckpoints.reply, listed).checkpoints[0]?.id ?? CheckpointId('')
    expect(await ask('getCheckpoint', `/api/checkpoint/${checkpointId}`)).toMatchObject({
      checkpoint: { checkpoint: { sessionKey: 'session-1' } },
    })
    expect(await ask('labelSession', '/api/sessions/session-1/labels', { title: 'Steps' })).toMatchObject({
      session: { labels: { title: 'Steps' } },
    })
    expect(await ask('readSession', '/api/sessions/session-1/content')).toMatchObject({
      entries: expect.arrayContaining([expect.objectContaining({ kind: 'request', text: 'please look at step 1' })]),
    })
    expect(await ask('reopenCommand', '/api/sessions/session-1/reopen')).toMatchObject({
      reopen: { command: ['claude', '--resume', 'session-1'] },
    })
    expect(await ask('find', `/api/find?q=step&cwd=${cwd}`)).toMatchObject({ hits: expect.any(Array) })
    expect(await ask('erase', undefined, { cwd: home.root, isPreview: true })).toMatchObject({
      report: { sessions: 1 },
    })
    await ask('registerProject', undefined, { name: 'holdfast-home', rootPath: home.root })
    const byName = Object(await ask('listCheckpoints', '/api/checkpoints?project=holdfast-home'))
    expect(byName).toEqual(await ask('listCheckpoints', `/api/checkpoints?project=${cwd}`))
    expect(byName.checkpoints.length).toBeGreaterThan(0)
    const unknown = await sendRaw(
      { path: home.socket },
      requestBytes({
        method: 'GET',
        target: '/api/checkpoints?project=zzz',
        headers: [['Host', 'localhost']],
        body: '',
      }),
    )
    expect({ status: unknown.status, isNamed: unknown.body.includes('No project is named') }).toEqual({
      status: 404,
      isNamed: true,
    })
    await ask('deleteCheckpoint', `/api/checkpoints/id/${checkpointId}`)

    const keyed = await ask('addProjectKeyword', undefined, { project: 'holdfast-home', keyword: 'Hold' })
    expect(keyed).toMatchObject({ project: { name: 'holdfast-home', keywords: ['hold'] } })
    expect(await ask('listRegisteredProjects')).toMatchObject({ projects: [{ name: 'holdfast-home', isOnDisk: true }] })
    expect(await ask('resolveProject', `/api/registry/resolve?cwd=${cwd}`)).toMatchObject({
      project: { name: 'holdfast-home', matchedBy: 'path' },
    })
    const intended = {
      project: 'holdfast-home',
      intent: 'Read the token',
      files: ['./token'],
      sessionLabel: 'session-1',
    }
    expect(await ask('recordIntent', undefined, intended)).toMatchObject({
      intent: { files: ['token'], sessionId },
      conflicts: [],
    })
    const meeting = { cwd: home.root, files: [`${home.root}/token`], sessionLabel: 'another' }
    expect(await ask('findConflicts', undefined, meeting)).toMatchObject({ conflicts: [{ files: ['token'] }] })
    expect(await ask('listIntents', `/api/intents?cwd=${cwd}`)).toMatchObject({ intents: [{ standing: 'live' }] })
    const entity = { cwd: home.root, name: 'token', type: 'constant', file: 'no-such-file.ts', line: 3 }
    expect(await ask('registerEntity', undefined, entity)).toMatchObject({ entity: { state: 'gone' } })
    expect(await ask('listEntities', `/api/entities?cwd=${cwd}&type=constant`)).toMatchObject({
      entities: [{ name: 'token', line: 3, state: 'gone' }],
    })
    expect(await ask('forgetEntity', `/api/entities?cwd=${cwd}&name=token`)).toMatchObject({})
    const summary = { cwd: home.root, summary: 'All tests pass.', sessionLabel: 'session-1', outcome: 'done' }
    expect(await ask('saveSummary', undefined, summary)).toMatchObject({
      summary: { doubts: [{ claim: 'All tests pass.' }] },
      completedIntents: 1,
    })
    expect(await ask('doubt', undefined, { cwd: home.root, text: 'All tests pass.' })).toMatchObject({
      doubts: [{ claim: 'All tests pass.' }],
    })
    await ask('completeIntent', undefined, { cwd: home.root, sessionLabel: 'session-1' })
    expect(await ask('recentSessions', `/api/summaries/recent?cwd=${cwd}`)).toMatchObject({
      intents: [{ outcome: 'done' }],
      summaries: [{ summary: 'All tests pass.' }],
    })
    expect(await ask('searchHistory', `/api/history/search?cwd=${cwd}&q=tests`)).toMatchObject({
      hits: expect.arrayContaining([expect.objectContaining({ kind: 'summary', title: 'All tests pass.' })]),
    })
    expect(await ask('readChecklist', `/api/checklist?cwd=${cwd}`)).toEqual({})
    const at = new Date().toISOString()
    const record = { itemId: 'i', section: 's', text: 't', status: 'done', by: 'cli', at }
    await ask('keepItemRecord', undefined, { cwd: home.root, record })
    expect(await ask('listItemRecords', `/api/checklist/records?cwd=${cwd}`)).toEqual({ records: [record] })
    const named = { cwd: home.root, name: 'read-the-token', door: 'api', task: 'Read it', sessionKey: 'session-1' }
    expect(await ask('saveNamed', undefined, named)).toMatchObject({
      path: 'memory/checkpoints/read-the-token.md',
      sessionKey: 'session-1',
      isSessionMadeUp: false,
      checkpointId: expect.any(String),
    })
    expect(await ask('listNamed', `/api/named-checkpoints?cwd=${cwd}`)).toMatchObject({
      checkpoints: [{ name: 'read-the-token', task: 'Read it', isOurs: true }],
    })
    const query = `cwd=${cwd}&name=read-the-token`
    expect(await ask('resumeNamed', `/api/named-checkpoints/resume?${query}`)).toMatchObject({
      task: 'Read it',
      confirm: 'interactive',
    })
    expect(await ask('deleteNamed', `/api/named-checkpoints?${query}`)).toMatchObject({ stored: 1 })
    expect(await ask('autosave', undefined, { cwd: home.root })).toEqual({
      isWritten: false,
      because: 'SESSION-STATE.md is missing',
    })
    await ask('setPhase', undefined, { sessionLabel: 'session-1', phase: 'CODE' })
    expect(await ask('findPhase', '/api/phases/session-1')).toEqual({ phase: 'CODE' })
    expect(await ask('briefing', `/api/briefing?cwd=${cwd}&budgetTokens=900&sessionLabel=session-1`)).toMatchObject({
      briefing: { mode: 'full', phase: 'CODE', isDegraded: false },
    })

    const ruled = { cwd: home.root, text: 'Never push to main.' }
    expect(await ask('addRule', undefined, ruled)).toMatchObject({ rule: { text: ruled.text, state: 'active' } })
    const { rules } = parse(ROUTES.listRules.reply, await ask('listRules', `/api/rules?cwd=${cwd}`))
    expect(rules.map(({ text }) => text)).toEqual([ruled.text])
    const retired = await ask('changeRule', `/api/rules/${rules[0]?.id}`, { cwd: home.root, state: 'retired' })
    expect(retired).toMatchObject({ rule: { state: 'retired' } })

    const claude = { session_id: 'session-2', hook_event_name: 'UserPromptSubmit', cwd: home.root, prompt: 'hi' }
    await ask('hook', '/hook/claude-code/UserPromptSubmit', claude)
    await ask('sightings')
    expect(await ask('counts')).toMatchObject({ counts: { events: 7, sessions: 2, memories: 0 } })
    const history = { harness: 'codex', sessionKey: 'from-before', upTo: 0, items: [], isLast: false }
    expect(await ask('importHistory', undefined, history)).toMatchObject({ standing: 'absent', kept: 0 })
    const checkpoint = parse(ROUTES.checkpointNow.reply, made).checkpoint?.checkpoint
    const [digest, signedBy] = ['a'.repeat(64), 'b'.repeat(64)]
    expect(await ask('receiveHandoff', undefined, { cwd: home.root, checkpoint, digest, signedBy })).toMatchObject({
      checkpoint: { checkpoint: { promptCount: 3 } },
    })

    expect(await ask('listRemovals')).toMatchObject({ removals: [], scanned: expect.any(Number) })
    expect(await ask('tokenUsage', `/api/token-usage?cwd=${cwd}&days=7`)).toMatchObject({ days: [] })
    await ask('hindsight', `/api/hindsight?cwd=${cwd}&limit=2`)
    expect(await ask('exportSession', '/api/sessions/session-1/page')).toContain('please look at step 1')
    expect(await ask('daemonDetails')).toMatchObject({ storedDays: { events: 30, checkpoints: 7 } })
    expect(await ask('importProgress')).toEqual({ state: 'none', done: 0, total: 0 })
    const exported = await ask('exportRecords', `/api/records?cwd=${cwd}`)
    const { records } = parse(ROUTES.exportRecords.reply, exported)
    expect(await ask('importRecords', undefined, { records })).toMatchObject({
      stored: 0,
      known: records.length,
      newMachines: [],
    })
    expect(await ask('listTeamSessions', `/api/team-sessions?cwd=${cwd}`)).toEqual({ sessions: [] })
    const sharable = { content: 'releases are tagged by the pipeline', cwd: home.root, source: 'api' }
    const kept = parse(ROUTES.remember.reply, await ask('remember', undefined, sharable)).memory
    const shareInput = { cwd: home.root, isShared: true }
    expect(await ask('shareMemory', `/api/memories/${kept.id}/share`, shareInput)).toMatchObject({
      memory: { scope: 'team' },
    })
    expect(await ask('readTeam')).toMatchObject({
      people: [{ isYou: true, sharedMemories: 1 }],
      machines: [{ isHere: true, sessions: 3 }],
      shared: [{ memory: { id: kept.id } }],
    })
    const ended = { ...base, kind: 'session-ended' as const, reason: 'exit' as const, id: EventId('end-1') }
    await ask('recordEvents', undefined, { events: [ended] })
    expect(await ask('takeWork', undefined, { cwd: home.root, sessionKey: 'session-1' })).toMatchObject({})
    expect(await ask('undoTakeWork', undefined, { cwd: home.root })).toEqual({ wasTaken: true })
    expect(await ask('syncStatus')).toMatchObject({ spaces: [] })
    expect(await ask('listObservedEdits', `/api/observed-edits?cwd=${cwd}`)).toEqual({ edits: [] })

    for (const name of ['health', 'metrics', 'openapi', 'homePage', 'linkPage', 'logout', 'createLoginCode'] as const)
      await ask(name)
    await ask('shutdown')
    await result.daemon.stopped
    const unasked = Object.keys(ROUTES).filter((name) => ![...asked].some((known) => known === name))
    expect(unasked.filter((name) => !ASKED_ELSEWHERE.has(name))).toEqual([])
  } finally {
    await result.daemon.stop('the test is over')
  }
})
