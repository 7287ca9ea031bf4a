import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import * as z from 'zod'
import { gitRepository, tempDir } from '../../../test/support/temp-dir.ts'
import { DEFAULT_CONFIG } from '../../kernel/config.ts'
import { EventId, SessionId } from '../../kernel/id.ts'
import { callTool } from '../../mcp/call-tool.ts'
import type { Tool } from '../../mcp/tool/tool.ts'
import { allTools } from '../../mcp/tool-list.ts'
import { systemClock } from '../../platform/base/clock.ts'
import type { Route } from '../../api/route.ts'
import { ROUTES } from '../../api/route-table.ts'
import { createRituals } from '../../tasks/sessions/create-rituals.ts'
import { createLocalTaskPorts } from '../../tasks/use-cases/local-task-ports.ts'
import type { App } from '../wiring/app.ts'
import { type RunningDaemon, startDaemon } from '../start.ts'
import { openTestApp } from '../../../test/support/app-setup.ts'
import {
  aStart,
  daemonOptions,
  memoryLog,
  requestBytes,
  sendRaw,
  temporaryHome,
} from '../../../test/support/daemon-setup.ts'

/** Programs started since it was last emptied, by the name of the program, `sh` for whatever goes through a shell. */
const started = vi.hoisted(() => new Set<string>())

vi.mock('node:child_process', async (importOriginal) => {
  const original = await importOriginal<typeof import('node:child_process')>()
  const seen = (command: unknown, given: readonly unknown[]) => {
    const isShell = given.some((option) => Object(option).shell !== undefined && Object(option).shell !== false)
    started.add(isShell ? 'sh' : (String(command).split('/').at(-1) ?? ''))
  }
  const watched = (name: string, run: unknown) =>
    typeof run !== 'function' || !/^(?:spawn|exec|fork)/.test(name)
      ? run
      : (command: unknown, ...rest: unknown[]) => {
          seen(command, rest)
          return Reflect.apply(run, undefined, [command, ...rest])
        }
  return Object.fromEntries(Object.entries(original).map(([name, run]) => [name, watched(name, run)]))
})

/** git, as `src/platform/git/git.ts` and `git-write.ts` call it: fixed arguments, no shell, nothing of the repository's to run. */
const EVERYONE = ['git']

/** What a tool or route may start beside that, and what stands before it. One that is not named here starts nothing else. */
const MAY_START: Readonly<Record<string, { readonly programs: readonly string[]; readonly gate: string }>> = {
  mark_checklist_item: {
    programs: ['sh'],
    gate: "src/agent-api/checklist/io/verification-gate.ts: a line of the user's own config.json",
  },
  mcp: { programs: ['sh'], gate: 'as the tools; never for a browser (scope project)' },
  task_checkpoint: { programs: ['the probe'], gate: 'safety.probe, which no repository can set' },
  taskCheckpoint: { programs: ['the probe'], gate: 'safety.probe, which no repository can set' },
  enterGate: { programs: ['the probe'], gate: 'safety.probe, which no repository can set' },
}

/** Every module that gives `run-program.ts` something to run. */
const RUNNERS: Readonly<Record<string, string>> = {
  'src/agent-api/checklist/io/mark-checklist-item.ts':
    'keyboard: checklist mark and verify; MCP: behind src/agent-api/checklist/io/verification-gate.ts',
  'src/tasks/sessions/health-check.ts': 'keyboard: holdfast session start',
}

/** A line that leaves a file behind, however it gets to a shell. */
const dir = tempDir()
const marker = join(dir.path, 'ran')
const CANARY = `touch ${marker}; : $(touch ${marker})`
const root = join(dir.path, 'shop')

const KNOWN: Readonly<Record<string, unknown>> = {
  cwd: root,
  root_path: root,
  rootPath: root,
  project_name: root,
  project: root,
  task: 'feat-x',
  slug: 'feat-x',
  sha256: 'a'.repeat(64),
}

type Json = Readonly<Record<string, unknown>>
const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** A value of the schema with everything in it that the schema has a name for, and the canary wherever a text may stand. */
function filled(schema: unknown, name = ''): unknown {
  if (!isJson(schema)) return undefined
  const { type, properties, items, anyOf, oneOf, allOf, maxLength, minimum, format, pattern } = schema
  if (Object.hasOwn(KNOWN, name)) return KNOWN[name]
  const choices = [anyOf, oneOf, allOf].find(Array.isArray)
  if (choices !== undefined) return filled(choices[0], name)
  if (Array.isArray(schema['enum'])) return schema['enum'].includes('verified') ? 'verified' : schema['enum'][0]
  if ('const' in schema) return schema['const']
  if (isJson(properties))
    return Object.fromEntries(Object.entries(properties).map(([key, inner]) => [key, filled(inner, key)]))
  if (type === 'object') return {}
  if (type === 'array') return [filled(items, name)]
  if (type === 'boolean') return true
  if (type === 'integer' || type === 'number') return Math.max(Number(minimum ?? 1), 1)
  if (format === 'date-time') return '2026-01-01T00:00:00.000Z'
  if (typeof pattern === 'string' && !new RegExp(pattern, 'u').test(CANARY)) return 'a-b'
  return typeof maxLength === 'number' && maxLength < CANARY.length ? 'x'.repeat(maxLength) : CANARY
}

const verifying = { item_text: 'Ship', status: 'verified', verify_command: `touch ${marker}` }

/** What takes the place of the canary for a caller who gets further, by the name of the tool or route. */
const sound = (): Readonly<Record<string, Json>> => ({
  hook: { harness: 'claude-code', hook: 'Stop', raw: { session_id: 'walk', hook_event_name: 'Stop', cwd: root } },
  listEvents: { kinds: 'prompt-submitted' },
  listSessions: { phases: 'idle' },
  listMemories: { types: 'fact' },
  searchMemories: { types: 'fact' },
  listDrafts: { states: 'proposed' },
  find: { kinds: 'request', since: '2026-01-01', until: '2026-12-31' },
  erase: { session: undefined, cwd: root, projectId: undefined, isPerson: undefined, isPreview: true },
  exportRecords: { session: undefined, isAll: undefined, position: undefined },
  // A file that does not exist is refused before anything is started.
  task_checkpoint: { files: undefined },
  checkpointNow: { sessionId: SESSION },
  remember: { supersedes: undefined },
  mcp: {
    raw: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'mark_checklist_item', arguments: { ...verifying, project: root } },
    },
  },
  receiveHandoff: { checkpoint, digest: 'a'.repeat(64), signedBy: 'b'.repeat(64), commits: [] },
  markItem: { item: 'Ship', status: 'done' },
  mark_checklist_item: verifying,
  forget: { memory_id: 'mem' },
  checkpoint_save: { name: 'walk-tool' },
  checkpoint_resume: { name: 'walk-tool' },
  checkpoint_delete: { name: 'walk-tool' },
  saveNamed: { name: 'walk', door: 'api' },
  resumeNamed: { name: 'walk' },
  deleteNamed: { name: 'walk' },
  createTask: { slug: 'feat-y', flow: 'feature' },
  enterGate: { gate: 'G1', force: true, reason: 'known', content: { summary: CANARY } },
  taskCheckpoint: { content: { summary: CANARY, nextSteps: [CANARY] } },
})

const exampleOf = (schema: z.ZodType | undefined): unknown =>
  schema === undefined ? undefined : filled(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }))

const SESSION = SessionId('claude-code/walk')
let checkpoint: unknown
const place = temporaryHome()
let backend: App
let daemon: RunningDaemon

beforeAll(async () => {
  gitRepository(root)
  writeFileSync(join(root, 'CHECKLIST.md'), `- [ ] ${CANARY}\n- [x] Ship (verify: \`touch ${marker}\`)\n`)
  backend = await openTestApp(place.home)
  const result = await startDaemon(daemonOptions(place.home, { clock: systemClock, openApp: async () => backend }))
  if (result.kind !== 'started') throw new Error('Another daemon runs.')
  daemon = result.daemon
  await backend.tasks.create({ cwd: root, slug: 'feat-x', title: 'x' })
  const rituals = createRituals(
    createLocalTaskPorts({
      clock: systemClock,
      log: memoryLog(),
      readsEnvFiles: false,
      memoryUrl: '',
      continuity: backend.continuity,
      entryPoint: 'api',
      env: {},
      machine: { id: 'machine-1', hostId: 'machine-1', name: 'desk', sharesStore: false },
      findOwnerProcess: () => undefined,
    }),
  )
  await rituals.start({ cwd: root, slug: 'feat-x' })
  const start = { ...aStart('walk'), cwd: root }
  const { harness, sessionKey, at, door, cwd } = start
  const prompts = [1, 2, 3].map((n) => ({
    ...{ harness, sessionKey, at, door, cwd },
    kind: 'prompt-submitted' as const,
    id: EventId(`walk-prompt-${n}`),
    prompt: `please look at step ${n}`,
  }))
  await backend.continuity.recordAll([start, ...prompts])
  checkpoint = (await backend.continuity.checkpoint(SESSION, 'explicit'))?.checkpoint
})
afterAll(async () => {
  await daemon.stop('the test is over')
  await place[Symbol.asyncDispose]()
  dir[Symbol.dispose]()
})

/** What one call started, once nothing that it set going is left. */
async function programsOf(call: () => Promise<unknown>): Promise<readonly string[]> {
  started.clear()
  await call()
  await backend.continuity.drain()
  return [...started].sort()
}

const contextOf = (): Parameters<Tool['run']>[1] => ({
  continuity: backend.continuity,
  agentApi: backend.agentApi,
  tasks: backend.tasks,
  clock: systemClock,
  sha256: (text) => text,
  randomBytes: (count) => new Uint8Array(count),
  findDegradedTask: async () => undefined,
  redact: (text) => text,
  caller: { cwd: root, sessionKey: 'walk' },
})

const beyond = (name: string, programs: readonly string[]) =>
  programs.filter((program) => ![...EVERYONE, ...(MAY_START[name]?.programs ?? [])].includes(program))

test('every module that runs a command is listed, with who reaches it', () => {
  const repository = join(import.meta.dirname, '..', '..', '..')
  const runners = readdirSync(join(repository, 'src'), { recursive: true, encoding: 'utf8' })
    .map((file) => `src/${file.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .filter((file) => /from '[./a-z-]+\/run-program\.ts'/.test(readFileSync(join(repository, file), 'utf8')))
  expect(runners.sort()).toEqual(Object.keys(RUNNERS).sort())
})

test('what may start a program is a tool or route that there is', () => {
  const known = new Set([...allTools.map(({ name }) => name), ...Object.keys(ROUTES)])
  expect(Object.keys(MAY_START).filter((name) => !known.has(name))).toEqual([])
})

test('control: the watch sees a program, and a shell as a shell', async () => {
  expect(await programsOf(async () => execFileSync('true'))).toEqual(['true'])
  expect(await programsOf(async () => execFileSync('true', { shell: true }))).toEqual(['sh'])
})

test('control: where the user allowed the command, the same call runs it, and the watch sees a shell', async () => {
  const line = `echo ran > ${join(dir.path, 'allowed')}`
  await using elsewhere = temporaryHome()
  const checklist = { ...DEFAULT_CONFIG.checklist, verifyOverMcp: [line] }
  const allowing = await openTestApp(elsewhere.home, { checklist })
  const args = { project_name: root, item_text: 'Ship', status: 'verified', verify_command: line }
  const tool = allTools.find(({ name }) => name === 'mark_checklist_item')
  const programs = await programsOf(async () => {
    if (tool !== undefined) await callTool(tool, args, { ...contextOf(), agentApi: allowing.agentApi }, () => undefined)
  })
  await allowing.close()
  expect(programs).toContain('sh')
  expect(existsSync(join(dir.path, 'allowed'))).toBe(true)
  expect(beyond('get_checklist', programs)).toEqual(['sh'])
})

/** Once with the canary wherever a text fits, and once as a caller would ask who gets further than the checks of the input. */
const bothWays = (name: string, example: unknown): readonly unknown[] => [
  example,
  { ...Object(example), ...sound()[name] },
]

describe.each(allTools.map((tool) => [tool.name, tool] as const))('the tool %s', (name, tool) => {
  test('starts only what is written down for it, and runs no text that it was given', async () => {
    const example = exampleOf(tool.input)
    // An argument without a value would be one that was not tried.
    expect(Object.entries(Object(example)).filter(([, value]) => value === undefined)).toEqual([])
    const answers: string[] = []
    const programs = await programsOf(async () => {
      for (const args of bothWays(name, example))
        answers.push((await callTool(tool, args, contextOf(), () => undefined)).content[0]?.text ?? '')
    })
    expect(answers.at(-1)).not.toMatch(/"code": ?"(?:internal|invalid-input)"/)
    expect({ name, beyond: beyond(name, programs) }).toEqual({ name, beyond: [] })
    expect(existsSync(marker)).toBe(false)
  })
})

const routes: readonly (readonly [string, Route])[] = Object.entries(ROUTES)
/** An id that nobody has is as good as one that somebody has: the handler was asked. */
const REACHED = new Set([200, 404, 405, 409])
/**
 * They answer 401 by themselves without what `holdfast dashboard` gave out; `startImport` answers 501 here, where the daemon has
 * no built program: with one it starts this Node with fixed arguments (`src/daemon/housekeeping/import-run.ts`).
 */
const ANSWERS_BEFORE: ReadonlySet<string> = new Set(['login', 'dashboardPage', 'startImport'])

describe.each(routes.filter(([name]) => name !== 'shutdown'))('the route %s', (name, route) => {
  function send(given: unknown): ReturnType<typeof sendRaw> {
    const part = (schema: z.ZodType | undefined): Json =>
      Object.fromEntries(Object.keys(Object(exampleOf(schema))).map((key) => [key, Object(given)[key]]))
    const params = part(route.params)
    const path = route.path.replaceAll(/:(\w+)/g, (_, key: string) => encodeURIComponent(String(params[key])))
    const query = Object.entries(part(route.query)).filter(([, value]) => value !== undefined)
    const search = new URLSearchParams(query.map(([key, value]): [string, string] => [key, String(value)]))
    const body = route.body === undefined ? (Object(given).raw ?? {}) : part(route.body)
    return sendRaw(
      { path: place.home.socket },
      requestBytes({
        method: route.method,
        target: search.size === 0 ? path : `${path}?${search.toString()}`,
        headers: [
          ['Host', 'localhost'],
          ['Content-Type', 'application/json'],
          ['Accept', 'application/json, text/event-stream;q=0'],
        ].flatMap(([key = '', value = '']) => (key === 'Accept' && name !== 'mcp' ? [] : [[key, value] as const])),
        body: route.method === 'GET' ? '' : JSON.stringify(body),
      }),
    )
  }

  test('starts only what is written down for it, and runs no text that it was given', async () => {
    const example = Object.assign({}, ...[route.params, route.query, route.body].map(exampleOf))
    let reply = { status: 0, body: '' }
    const programs = await programsOf(async () => {
      for (const given of bothWays(name, example)) reply = await send(given)
    })
    if (!REACHED.has(reply.status) && !ANSWERS_BEFORE.has(name))
      expect({ name, reply }).toEqual({ name, reply: 'the handler' })
    expect({ name, beyond: beyond(name, programs) }).toEqual({ name, beyond: [] })
    expect(existsSync(marker)).toBe(false)
  })
})
