import { VERDICTS, type Verdict } from '../../kernel/injection.ts'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { HoldfastError } from '../../kernel/errors.ts'
import { systemClock } from '../../platform/base/clock.ts'
import { runGitFully } from '../../platform/git/git-command.ts'
import { ClaudeStandIn } from './claude-stand-in.ts'
import type { DemoProject } from './demo-project.ts'
import { isObject } from '../../kernel/json-shape.ts'

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
      readonly verdict?: Verdict
    }[]
  }
  readonly isSettingsRestored: boolean
  readonly durationMs: number
}

/** Prints a step while it happens. */
export type Narrate = (step: string, detail?: string) => void

async function createProject(project: DemoProject): Promise<void> {
  project.write(SOURCE, CODE)
  project.write(TEST, TESTS)
  const settings = ['user.name=Demo', 'user.email=demo@example.invalid']
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['add', '.'],
    ['commit', '-q', '-m', 'Pages'],
  ]) {
    const isOutside = args[0] === 'init'
    const { exitStatus, stderr } = await runGitFully(project.path, args, { settings, isOutside })
    if (exitStatus !== 0) throw new HoldfastError('unsupported', `git ${args[0]} failed: ${stderr.trim()}`)
  }
}

async function edit(project: DemoProject, claude: ClaudeStandIn, oldText: string, newText: string): Promise<void> {
  const file = join(project.path, SOURCE)
  project.write(SOURCE, readFileSync(file, 'utf8').replace(oldText, newText))
  const input = { file_path: file, old_string: oldText, new_string: newText }
  await claude.tool('Edit', input, { response: { filePath: file, oldString: oldText, newString: newText } })
}

async function runTests(project: DemoProject, claude: ClaudeStandIn): Promise<number> {
  const command = `node ${TEST}`
  const { code, stdout, stderr } = await project.run(process.execPath, [TEST])
  await claude.tool(
    'Bash',
    { command, description: 'Run the tests' },
    code === 0
      ? { response: { stdout, stderr, interrupted: false } }
      : { error: `Exit code ${code}\n${stdout}${stderr}`.trim() },
  )
  return code ?? 1
}

async function workUntilKilled(project: DemoProject, narrate: Narrate): Promise<Story['killed']> {
  const agent = project.startAgent()
  const claude = new ClaudeStandIn(project, agent)
  await claude.start()
  await claude.prompt(GOAL)
  narrate('prompt', GOAL)
  const file = join(project.path, SOURCE)
  await claude.tool(
    'Read',
    { file_path: file },
    { response: { type: 'text', file: { filePath: file, content: CODE } } },
  )
  await edit(project, claude, 'title.toLowerCase()', "title.normalize('NFD').toLowerCase()")
  narrate('edit', SOURCE)
  const code = await runTests(project, claude)
  narrate('test', `node ${TEST}: exit code ${code}`)
  await claude.say('NFD alone is not enough: it splits the accents off, but the combining marks stay in the slug.')
  await claude.prompt(RULE)
  narrate('prompt', RULE)
  const todos = [
    { content: 'Remove the combining marks after NFD in slugify', status: 'in_progress', activeForm: 'Removing marks' },
    { content: 'Run the slugify tests', status: 'pending', activeForm: 'Running tests' },
  ]
  await claude.tool('TodoWrite', { todos }, { response: { oldTodos: [], newTodos: todos } })
  const daemon = await project.killDaemon()
  await project.killAgent(agent)
  return { agent, daemon }
}

const PATIENCE_MS = 15_000
const BETWEEN_PROMPTS_MS = 200
const LOOKS_PER_PROMPT = 3

interface NextSession {
  readonly key: string
  readonly text: string
  readonly deliveredBy: Story['recovery']['deliveredBy']
  /** Sends one more prompt and returns the injected text. */
  readonly prompt: () => Promise<string>
}

/** Starts the next session. Recovery is injected at its start or, if the daemon restarts too late for that, with a prompt. */
async function nextSession(project: DemoProject): Promise<NextSession> {
  const claude = new ClaudeStandIn(project, project.startAgent())
  const key = claude.sessionId
  const prompt = () => claude.prompt('Where were we?')
  const atStart = await claude.start()
  if (atStart !== '') return { key, prompt, text: atStart, deliveredBy: 'SessionStart' }
  await project.cli.json('daemon', 'start')
  const deadlineMs = systemClock.monotonicMs() + PATIENCE_MS
  while (systemClock.monotonicMs() < deadlineMs) {
    // On a busy machine a hook may miss its deadline; recovery is retried with the next prompt.
    const text = await prompt()
    if (text !== '') return { key, prompt, text, deliveredBy: 'UserPromptSubmit' }
    await sleep(BETWEEN_PROMPTS_MS)
  }
  throw new HoldfastError('internal', 'The second session got no recovery.')
}

function records(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

/** Waits for the ledger entry, which is written after the hook has answered. An answer after its deadline is injected again with the next prompt. */
async function waitForRecovery(
  project: DemoProject,
  { key, prompt }: NextSession,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const deadlineMs = systemClock.monotonicMs() + PATIENCE_MS
  for (let looks = 1; ; looks += 1) {
    const { stdout } = await project.cli.run('explain', key, '--json')
    const explanation: unknown = JSON.parse(stdout)
    const injections = records(isObject(explanation) ? explanation.injections : undefined)
    const recovery = injections.find((injection) => injection.kind === 'recovery' && injection.chars !== 0)
    if (recovery !== undefined || systemClock.monotonicMs() > deadlineMs) return recovery
    await sleep(BETWEEN_PROMPTS_MS)
    if (looks % LOOKS_PER_PROMPT === 0) await prompt()
  }
}

async function explainRecovery(
  project: DemoProject,
  next: NextSession,
): Promise<Pick<Story['recovery'], 'checkpoints' | 'reasons'>> {
  const recovery = await waitForRecovery(project, next)
  const sources = Array.isArray(recovery?.sources) ? recovery.sources.map(String) : []
  const checkpoints = records(await project.cli.json('checkpoints', 'list', '--all'))
  return {
    checkpoints: checkpoints
      .filter((checkpoint) => sources.includes(String(checkpoint.id)))
      .map((checkpoint) => ({ id: String(checkpoint.id), trigger: String(checkpoint.trigger) })),
    reasons: records(recovery?.reasons).map((reason) => ({
      line: String(reason.line),
      origin: String(reason.origin),
      reason: String(reason.reason),
      ...VERDICTS.flatMap((verdict) => (verdict === reason.verdict ? [{ verdict }] : []))[0],
    })),
  }
}

/** Runs the whole story. The caller disposes the project. */
export async function runStory(project: DemoProject, narrate: Narrate): Promise<Story> {
  const startedMs = systemClock.monotonicMs()
  await createProject(project)
  await project.cli.json('init', '--harness', 'claude-code', '--yes')
  narrate('Created a git project in a temporary folder and ran `holdfast init`.')
  narrate('Session 1 works; the installed hooks record it:')
  const killed = await workUntilKilled(project, narrate)
  narrate(
    `Both processes are killed with kill -9: agent (pid ${killed.agent}), daemon (pid ${killed.daemon ?? 'none'}).`,
  )
  const next = await nextSession(project)
  narrate(`Session 2 starts. Its ${next.deliveredBy} hook adds this text to the context:`)
  const reasons = await explainRecovery(project, next)
  const events = records(await project.cli.json('events', 'list', '--limit', '1000')).length
  await project.cli.json('uninstall', '--harness', 'claude-code', '--yes')
  return {
    events,
    killed,
    recovery: { text: next.text, deliveredBy: next.deliveredBy, ...reasons },
    isSettingsRestored: project.isSettingsRestored,
    durationMs: Math.round(systemClock.monotonicMs() - startedMs),
  }
}
