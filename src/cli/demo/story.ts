import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { HoldfastError } from '../../kernel/errors.ts'
import { systemClock } from '../../platform/base/clock.ts'
import { runGitFully } from '../../platform/git/git-write.ts'
import { ClaudeStandIn } from './claude-stand-in.ts'
import { isRecord } from './processes.ts'
import type { DemoScene } from './scene.ts'

const SOURCE = 'src/slugify.mjs'
const TEST = 'test/slugify.test.mjs'

const CODE = `export function slugify(title) {
  return title.toLowerCase().replaceAll(' ', '-')
}
`

const TESTS = [
  "import { slugify } from '../src/slugify.mjs'",
  '',
  "const cases = { 'joins words': ['About us', 'about-us'], 'drops accents': ['Crème brûlée', 'creme-brulee'] }",
  'for (const [name, [title, expected]] of Object.entries(cases)) {',
  '  if (slugify(title) === expected) continue',
  '  console.log(`FAIL ${name}: expected ${expected}, got ${JSON.stringify(slugify(title))}`)',
  '  process.exitCode = 1',
  '}',
  '',
].join('\n')

const GOAL = 'slugify keeps accents, so links to pages with French titles break. Make it drop them.'
const RULE = 'Please do it without a new dependency: we decided against slug libraries because of the bundle size.'

export interface Story {
  readonly events: number
  readonly killed: { readonly agent: number; readonly daemon: number | undefined }
  readonly recovery: {
    readonly text: string
    readonly deliveredBy: 'SessionStart' | 'UserPromptSubmit'
    readonly checkpoints: readonly { readonly id: string; readonly trigger: string }[]
    readonly reasons: readonly {
      readonly line: string
      readonly origin: string
      readonly reason: string
      readonly verdict?: string
    }[]
  }
  readonly isSettingsRestored: boolean
  readonly durationMs: number
}

/** Tells the person what happens while it happens. */
export type Narrate = (step: string, detail?: string) => void

async function aProject(scene: DemoScene): Promise<void> {
  scene.write(SOURCE, CODE)
  scene.write(TEST, TESTS)
  const settings = ['user.name=Demo', 'user.email=demo@example.invalid']
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['add', '.'],
    ['commit', '-q', '-m', 'Pages'],
  ]) {
    const isOutside = args[0] === 'init'
    const { exitStatus, stderr } = await runGitFully(scene.project, args, { settings, isOutside })
    if (exitStatus !== 0) throw new HoldfastError('unsupported', `git ${args[0]} failed: ${stderr.trim()}`)
  }
}

async function edit(scene: DemoScene, claude: ClaudeStandIn, oldText: string, newText: string): Promise<void> {
  const file = join(scene.project, SOURCE)
  scene.write(SOURCE, readFileSync(file, 'utf8').replace(oldText, newText))
  const input = { file_path: file, old_string: oldText, new_string: newText }
  await claude.tool('Edit', input, { response: { filePath: file, oldString: oldText, newString: newText } })
}

async function runTests(scene: DemoScene, claude: ClaudeStandIn): Promise<number> {
  const command = `node ${TEST}`
  const { code, stdout, stderr } = await scene.run(process.execPath, [TEST])
  await claude.tool(
    'Bash',
    { command, description: 'Run the tests' },
    code === 0
      ? { response: { stdout, stderr, interrupted: false } }
      : { error: `Exit code ${code}\n${stdout}${stderr}`.trim() },
  )
  return code ?? 1
}

async function workUntilKilled(scene: DemoScene, narrate: Narrate): Promise<Story['killed']> {
  const agent = scene.startAgent()
  const claude = new ClaudeStandIn(scene, agent)
  await claude.start()
  await claude.prompt(GOAL)
  narrate('prompt', GOAL)
  const file = join(scene.project, SOURCE)
  await claude.tool(
    'Read',
    { file_path: file },
    { response: { type: 'text', file: { filePath: file, content: CODE } } },
  )
  await edit(scene, claude, 'title.toLowerCase()', "title.normalize('NFD').toLowerCase()")
  narrate('edit', SOURCE)
  const code = await runTests(scene, claude)
  narrate('test', `node ${TEST}: exit code ${code}`)
  await claude.say('NFD alone is not enough: it splits the accents off, but the combining marks stay in the slug.')
  await claude.prompt(RULE)
  narrate('prompt', RULE)
  const todos = [
    { content: 'Remove the combining marks after NFD in slugify', status: 'in_progress', activeForm: 'Removing marks' },
    { content: 'Run the slugify tests', status: 'pending', activeForm: 'Running tests' },
  ]
  await claude.tool('TodoWrite', { todos }, { response: { oldTodos: [], newTodos: todos } })
  const daemon = await scene.killDaemon()
  await scene.killAgent(agent)
  return { agent, daemon }
}

const PATIENCE_MS = 15_000
const BETWEEN_PROMPTS_MS = 200
const LOOKS_PER_PROMPT = 3

interface NextSession {
  readonly key: string
  readonly text: string
  readonly deliveredBy: Story['recovery']['deliveredBy']
  /** One more prompt of the same session, and what it was told. */
  readonly ask: () => Promise<string>
}

/** What the next session is told: at its start or, when the daemon came back too late for that, with a prompt. */
async function nextSession(scene: DemoScene): Promise<NextSession> {
  const claude = new ClaudeStandIn(scene, scene.startAgent())
  const key = claude.sessionId
  const ask = () => claude.prompt('Where were we?')
  const atStart = await claude.start()
  if (atStart !== '') return { key, ask, text: atStart, deliveredBy: 'SessionStart' }
  await scene.cli.json('daemon', 'start')
  const deadlineMs = systemClock.monotonicMs() + PATIENCE_MS
  while (systemClock.monotonicMs() < deadlineMs) {
    // Owed until it gets through: on a busy machine a prompt's deadline may be shorter than finding out what to say.
    const text = await ask()
    if (text !== '') return { key, ask, text, deliveredBy: 'UserPromptSubmit' }
    await sleep(BETWEEN_PROMPTS_MS)
  }
  throw new HoldfastError('internal', 'The second session was told nothing.')
}

function records(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

/**
 * The ledger's line comes a moment after the answer has left. An answer that left after its deadline counts as not told,
 * even if it was still read: it is owed again, and the next prompt gets it.
 */
async function toldRecovery(
  scene: DemoScene,
  { key, ask }: NextSession,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const deadlineMs = systemClock.monotonicMs() + PATIENCE_MS
  for (let looks = 1; ; looks += 1) {
    const { stdout } = await scene.cli.run('explain', key, '--json')
    const explanation: unknown = JSON.parse(stdout)
    const injections = records(isRecord(explanation) ? explanation.injections : undefined)
    const recovery = injections.find((injection) => injection.kind === 'recovery' && injection.chars !== 0)
    if (recovery !== undefined || systemClock.monotonicMs() > deadlineMs) return recovery
    await sleep(BETWEEN_PROMPTS_MS)
    if (looks % LOOKS_PER_PROMPT === 0) await ask()
  }
}

async function explained(
  scene: DemoScene,
  next: NextSession,
): Promise<Pick<Story['recovery'], 'checkpoints' | 'reasons'>> {
  const recovery = await toldRecovery(scene, next)
  const sources = Array.isArray(recovery?.sources) ? recovery.sources.map(String) : []
  const checkpoints = records(await scene.cli.json('checkpoints', 'list', '--all'))
  return {
    checkpoints: checkpoints
      .filter((checkpoint) => sources.includes(String(checkpoint.id)))
      .map((checkpoint) => ({ id: String(checkpoint.id), trigger: String(checkpoint.trigger) })),
    reasons: records(recovery?.reasons).map((reason) => ({
      line: String(reason.line),
      origin: String(reason.origin),
      reason: String(reason.reason),
      ...(typeof reason.verdict === 'string' && { verdict: reason.verdict }),
    })),
  }
}

/** The whole story, in a scene that somebody else clears away. */
export async function tellStory(scene: DemoScene, narrate: Narrate): Promise<Story> {
  const startedMs = systemClock.monotonicMs()
  await aProject(scene)
  await scene.cli.json('init', '--harness', 'claude-code', '--yes')
  narrate('A git project in a temporary folder; `holdfast init` connected its Claude Code.')
  narrate('Session 1 works, through the hooks that were installed:')
  const killed = await workUntilKilled(scene, narrate)
  narrate(`kill -9: the agent (pid ${killed.agent}) and the daemon (pid ${killed.daemon ?? 'gone'}).`)
  const next = await nextSession(scene)
  narrate(`Session 2 starts. This is what it is told, by its ${next.deliveredBy} hook:`)
  const reasons = await explained(scene, next)
  const events = records(await scene.cli.json('events', 'list', '--limit', '1000')).length
  await scene.cli.json('uninstall', '--harness', 'claude-code', '--yes')
  return {
    events,
    killed,
    recovery: { text: next.text, deliveredBy: next.deliveredBy, ...reasons },
    isSettingsRestored: scene.isSettingsRestored,
    durationMs: Math.round(systemClock.monotonicMs() - startedMs),
  }
}
