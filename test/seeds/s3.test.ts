// S3, the checkpoint skill: one test per row, named by its row.
import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { ClaudeSession } from '../support/claude-session.ts'
import { McpClient } from '../support/mcp-client.ts'
import { PATIENT, Product, waitUntil } from '../support/product.ts'

let product: Product
let count = 0

beforeAll(async () => {
  product = new Product(PATIENT)
  await product.connect()
  await product.json(['daemon', 'start'])
})

afterAll(async () => {
  await product[Symbol.asyncDispose]()
})

async function aProject(sessionState?: string): Promise<string> {
  count += 1
  const project = await product.aProject(`app-${count}`)
  if (sessionState !== undefined) writeFileSync(join(project, 'SESSION-STATE.md'), sessionState)
  return project
}

function readCheckpoint(project: string, name: string): string {
  return readFileSync(join(project, 'memory', 'checkpoints', `${name}.md`), 'utf8')
}

const SESSION_STATE = `# SESSION-STATE

VAT id must be printed as DE-123456789.

## Current Task
Print invoices
The draft of the layout is in drafts/layout.svg.

## Next
Run \`make invoices\`

## Weird Custom Heading
The printer accepts A4 only.
`

test('S3.4.13 what SESSION-STATE.md says arrives, under known headings or not', async () => {
  const project = await aProject(SESSION_STATE)
  await product.json(['checkpoint', 'save', 'print-invoices'], { cwd: project })
  const saved = readCheckpoint(project, 'print-invoices')
  expect(saved).toContain('**Task:** Print invoices')
  for (const text of ['DE-123456789', 'drafts/layout.svg', 'Run `make invoices`', 'Weird Custom Heading', 'A4 only'])
    expect(saved).toContain(text)
  expect(await product.json(['checkpoint', 'resume', 'print-invoices'], { cwd: project })).toMatchObject({
    task: 'Print invoices',
    context: expect.stringContaining('A4 only'),
  })
})

test('4.13 again: a SESSION-STATE.md with one known heading among others loses nothing either', async () => {
  const project = await aProject('## Progress\n- parser done\n\n## Customer wishes\nGreen buttons.\n')
  await product.json(['checkpoint', 'save', 'green-buttons'], { cwd: project })
  expect(readCheckpoint(project, 'green-buttons')).toContain('Green buttons.')
})

const SHAPES: Readonly<Record<string, string>> = {
  'titles that begin like known ones':
    '## Files touched\nMARK1\n\n## Git notes\nMARK2\n\n## Next week MARK3\nMARK4\n\n## Task list\n- MARK5\n\n## Goal\nMARK6\n',
  'a title alone': '# MARK1 shop\n\n## Waiting for MARK2\n\n## Progress\nMARK3\n',
  'underlined headings': 'Current Task\n============\nMARK1\n\nNext\n----\nrun MARK2\n\nOdd\n---\nMARK3\n',
  'deep headings': '### Current Task\nMARK1\n### Next Action\nrun MARK2\n#### below\nMARK3\n',
  'a long task': `## Current Task\n${'print it all '.repeat(30)} MARK1\n`,
  'a long section': `## Log\n${'one more line of the log\n'.repeat(1_500)}MARK1\n`,
  'all of it besides what is given':
    '## Current Task\nMARK1\n## Next\nMARK2\n## Progress\nMARK3\n## Context\nMARK4\n## Blockers\nMARK5\n',
}

test.each(Object.entries(SHAPES))('4.13 again: SESSION-STATE.md with %s arrives whole', async (shape, text) => {
  const project = await aProject(text)
  const given = shape.startsWith('all of it')
    ? ['--task', 'Print', '--next', 'Run `make`', '--progress', 'own', '--context', 'own', '--blocker', 'own']
    : []
  await product.json(['checkpoint', 'save', 'whole-session-state', ...given], { cwd: project })
  const saved = readCheckpoint(project, 'whole-session-state')
  expect((text.match(/MARK\d/g) ?? []).filter((mark) => !saved.includes(mark))).toEqual([])
  if (given.length > 0) expect(saved).toMatch(/## Next Action\n\nRun `make`\n/)
})

test('S3.4.14 nothing of one named checkpoint is in the next', async () => {
  const project = await aProject()
  const save = (...args: readonly string[]) => product.json(['checkpoint', 'save', ...args], { cwd: project })
  await save(
    ...['pay-invoices', '--task', 'Pay the invoices', '--next', 'Run `make pay`'],
    ...['--blocker', 'Bank API returns 503', '--decision', 'Use SEPA because of fees'],
  )
  await save('redesign-homepage', '--task', 'Redesign the homepage')
  await save('third-subject')
  for (const name of ['redesign-homepage', 'third-subject'])
    for (const leak of ['make pay', 'returns 503', 'SEPA', 'Pay the invoices'])
      expect(readCheckpoint(project, name)).not.toContain(leak)
})

test('S3.4.17 a name must describe the work', async () => {
  const project = await aProject()
  for (const name of ['a', 'wip', 'my-work', 'fix-2', 'part-2', '工作']) {
    const ran = await product.cli(['checkpoint', 'save', name, '--task', 't'], { cwd: project })
    expect(ran.code).not.toBe(0)
    expect(ran.stderr).toContain('does not describe the work')
    expect(ran.stderr).not.toContain('Try "t"')
    expect(existsSync(join(project, 'memory'))).toBe(false)
  }
})

test('S3.4.27 autosave writes everything that SESSION-STATE.md says', async () => {
  const project = await aProject(SESSION_STATE)
  await product.json(['checkpoint', 'autosave', '--reason', 'before a migration'], { cwd: project })
  const saved = readCheckpoint(project, 'autosave')
  for (const text of ['DE-123456789', 'Weird Custom Heading', 'A4 only']) expect(saved).toContain(text)
})

const STATES: readonly (readonly [string, boolean])[] = [
  ['## Status\nDone. Task complete.\n', false],
  ['# State\n\n## Task status\n✅ Completed\n', false],
  ['## Status\nDone: parser. Open: printer.\n', true],
  ['## Status\nnot done\n', true],
  ['All tasks complete.\n', false],
  ['## 状态\n已完成\n', false],
  ['## Current Task\nNone\n', false],
  ['Status: done with the parser, printer open\n', true],
  ['## Status\nDone, except for the printer\n', true],
]

test('S3.4.30 autosave needs a SESSION-STATE.md with unfinished work, and five minutes since the last', async () => {
  for (const [text, isWritten] of STATES) {
    const project = await aProject(text)
    const saved = await product.json(['checkpoint', 'autosave'], { cwd: project })
    expect([text, saved]).toEqual([text, expect.objectContaining({ isWritten })])
    if (isWritten)
      expect(await product.json(['checkpoint', 'autosave'], { cwd: project })).toMatchObject({ isWritten: false })
  }
  const empty = await aProject(' \n')
  expect(await product.json(['checkpoint', 'autosave'], { cwd: empty })).toMatchObject({ isWritten: false })
})

test("S3.4.32 the original skill's autosave.md, a title and raw text, is read", async () => {
  const project = await aProject()
  mkdirSync(join(project, 'memory', 'checkpoints'), { recursive: true })
  const text = '# Autosave\n\nInvoices for March are printed.\n\n## Next Action\nRun `make april`\n'
  writeFileSync(join(project, 'memory', 'checkpoints', 'autosave.md'), text)
  expect(await product.json(['checkpoint', 'resume', 'autosave'], { cwd: project })).toMatchObject({
    nextAction: 'Run `make april`',
    context: 'Invoices for March are printed.',
  })
})

test('S3.4.33 the quality check looks whether named files exist', async () => {
  const project = await aProject()
  const saved = await product.json(
    [
      ...['checkpoint', 'save', 'parse-invoices', '--task', 'Parse the invoices of `src/parser.ts`'],
      ...['--progress', 'Wrote src/lexer.ts lines 1-40', '--progress', 'Read src/parser.ts'],
      ...['--next', 'Run `npm test`, then create src/printer.ts'],
    ],
    { cwd: project },
  )
  const { findings } = z.object({ findings: z.array(z.object({ problem: z.string(), text: z.string() })) }).parse(saved)
  expect(findings.filter(({ problem }) => problem === 'missing-file').map(({ text }) => text)).toEqual(['src/lexer.ts'])
})

test('4.33 again: a created file that is not there, a blocker in one, a decision without a reason', async () => {
  const project = await aProject()
  const findings = async (...args: readonly string[]) => {
    const saved = await product.json(['checkpoint', 'save', 'parse-receipts', '--yes', ...args], { cwd: project })
    const read = z.object({ findings: z.array(z.object({ field: z.string(), problem: z.string() })) }).parse(saved)
    return read.findings.map(({ field, problem }) => `${field}: ${problem}`)
  }
  const bad = await findings(
    ...['--progress', 'Created src/lexer.ts and added src/token.ts', '--decision', 'Use SEPA'],
    ...['--blocker', 'src/none.ts:3 throws EPERM', '--next', 'Create src/new.ts'],
  )
  expect(bad.filter((one) => /missing-file|no-reason/.test(one))).toEqual([
    ...['decisions: no-reason', 'progress: missing-file', 'progress: missing-file', 'blockers: missing-file'],
  ])
  const good = await findings(
    ...['--progress', 'Deleted src/old.ts, changed src/parser.ts', '--decision', 'Use SEPA because of its fees'],
    ...['--blocker', 'src/none.ts cannot be found by tsc', '--next', 'Create src/new.ts'],
  )
  expect(good.filter((one) => /missing-file|no-reason/.test(one))).toEqual([])
})

const root = join(import.meta.dirname, '..', '..')
const readSkill = (...path: readonly string[]) => readFileSync(join(root, 'skills', 'checkpoint', ...path), 'utf8')
const save = (cwd: string, ...args: readonly string[]) => product.json(['checkpoint', 'save', ...args], { cwd })
const connect = (cwd: string) => McpClient.connect(product, { transport: 'stdio', revision: '2025-11-25', cwd })

/** A project with a saved checkpoint that is about src/parser.ts. */
async function aSavedProject(): Promise<string> {
  const project = await aProject()
  await save(
    project,
    ...['split-quoted-commas', '--task', 'Split quoted commas', '--progress', 'Wrote src/parser.ts lines 1-40'],
    ...['--next', 'Run `npm test -- commas`', '--blocker', 'src/parser.ts:12 throws on an empty field'],
    ...[
      '--decision',
      'Use a state machine because regular expressions backtrack',
      '--context',
      'The user wants CSV only',
    ],
  )
  return project
}

test('S3.4.1 save writes memory/checkpoints/<name>.md', async () => {
  const project = await aSavedProject()
  expect(readCheckpoint(project, 'split-quoted-commas')).toMatch(/^# Checkpoint: split-quoted-commas\n/)
})

test('S3.4.2 save takes the task from --task', async () => {
  const project = await aProject()
  await save(project, 'build-login-page', '--task', 'Build login page with OAuth fallback')
  expect(readCheckpoint(project, 'build-login-page')).toContain('**Task:** Build login page with OAuth fallback')
})

test('S3.4.3 progress, next action, blockers, decisions and context are saved', async () => {
  const saved = readCheckpoint(await aSavedProject(), 'split-quoted-commas')
  for (const text of ['lines 1-40', 'npm test -- commas', 'empty field', 'state machine', 'CSV only'])
    expect(saved).toContain(text)
})

test('S3.4.4 save confirms the name and the path', async () => {
  const project = await aProject()
  const { stdout } = await product.cli(['checkpoint', 'save', 'meeting-prep', '--task', 'Prepare'], { cwd: project })
  expect(stdout).toContain('meeting-prep')
  expect(stdout).toContain(join('memory', 'checkpoints', 'meeting-prep.md'))
})

test('S3.4.5 list is a table of name, task and age', async () => {
  const { stdout } = await product.cli(['checkpoint', 'list'], { cwd: await aSavedProject() })
  expect(stdout).toMatch(/split-quoted-commas.*(?:ago|just now)/)
  expect(stdout).toContain('Split quoted commas')
  expect(stdout).not.toContain('autosave-log')
})

test('S3.4.6 an agent lists what was left open with checkpoint_list', async () => {
  await using client = await connect(await aSavedProject())
  expect((await client.call('checkpoint_list')).text).toContain('split-quoted-commas')
})

test('S3.4.7 resume shows the task, the progress and the exact next action', async () => {
  await using client = await connect(await aSavedProject())
  const { text } = await client.call('checkpoint_resume', { name: 'split-quoted-commas' })
  for (const words of ['Split quoted commas', 'lines 1-40', 'Run `npm test -- commas`']) expect(text).toContain(words)
})

const TEAMMATES =
  '# Checkpoint: port-to-arm\n\n**Created:** 2026-01-02 10:00 GMT+8\n**Task:** Port the build to ARM\n\n## Next Action\nRun `make arm`\n'

test("S3.4.8 a start and a briefing offer what was saved here, a teammate's file too", async () => {
  const project = await aProject()
  mkdirSync(join(project, 'memory', 'checkpoints'), { recursive: true })
  const createdAt = new Date(Date.now() - 3 * 86_400_000)
  const stamp = `${createdAt.toISOString().slice(0, 10)} 10:00 GMT+8`
  const file = join(project, 'memory', 'checkpoints', 'port-to-arm.md')
  writeFileSync(file, TEAMMATES.replace('2026-01-02 10:00 GMT+8', stamp))
  utimesSync(file, createdAt, createdAt)
  await save(project, 'print-on-a5-paper', '--task', 'Print on A5', '--next', 'Run `make a5`')
  const session = new ClaudeSession(product, project, { pid: product.anAgent() })
  const injected = await session.begin()
  expect(injected).toMatch(/port-to-arm, (?:2|3) d.* ago: Port the build to ARM/)
  expect(injected).toContain('Print on A5')
  await using client = await connect(project)
  expect((await client.call('session_briefing')).text).toContain('saved checkpoint port-to-arm')
})

test('4.8 again: an autosave of the original skill more files than fit and a name that the recovery contains', async () => {
  const project = await aProject()
  const folder = join(project, 'memory', 'checkpoints')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'autosave.md'), '# Autosave\n\nPrinting on A4.\n')
  for (const [n, name] of ['commas', 'port-to-arm', 'port-to-mips', 'port-to-riscv'].entries()) {
    const file = join(folder, `${name}.md`)
    writeFileSync(file, `# Checkpoint: ${name}\n\n**Task:** Do ${n}\n`)
    const at = new Date(Date.now() - (n + 1) * 3_600_000)
    utimesSync(file, at, at)
  }
  await save(project, 'parser', '--task', 'Split at commas', '--next', 'Edit src/parser.ts')
  const session = new ClaudeSession(product, project, { pid: product.anAgent() })
  const injected = await session.begin()
  expect(injected).toMatch(/- autosave, .*: no task stated\n/)
  expect(injected).toMatch(/- commas, 1 h ago: Do 0\n/)
  expect(injected).toContain('- 2 more: checkpoint_list')
})

test('S3.4.9 after a compaction the recovery comes by itself', async () => {
  const project = await aProject()
  const session = new ClaudeSession(product, project, { pid: product.anAgent() })
  await session.begin()
  await session.prompt('Split the quoted commas in src/parser.ts.')
  await session.edit('src/parser.ts', 'a', 'b')
  const injected = (await session.compact()) || (await session.prompt('go on'))
  expect(injected).toContain('Split the quoted commas in src/parser.ts.')
})

test('S3.4.10 the skill is triggered by the questions of a returning user', () => {
  for (const words of ['where did we stop?', 'what was I working on?', '70 %', 'milestone'])
    expect(readSkill('SKILL.md')).toContain(words)
})

test('S3.4.11 resume asks before anything is done', async () => {
  const project = await aSavedProject()
  const { stdout } = await product.cli(['checkpoint', 'resume', 'split-quoted-commas'], { cwd: project })
  expect(stdout).toMatch(/\(yes\/no\)/)
  await using client = await connect(project)
  expect((await client.call('checkpoint_resume', { name: 'split-quoted-commas' })).text).toContain('(yes/no)')
})

test('S3.4.12 delete removes a named checkpoint, and never the autosave', async () => {
  const project = await aSavedProject()
  await product.json(['checkpoint', 'delete', 'split-quoted-commas', '--yes'], { cwd: project })
  expect(existsSync(join(project, 'memory', 'checkpoints', 'split-quoted-commas.md'))).toBe(false)
  expect((await product.cli(['checkpoint', 'delete', 'autosave', '--yes'], { cwd: project })).code).not.toBe(0)
})

test('S3.4.15 the folder is made when it is missing', async () => {
  const project = await aProject()
  expect(existsSync(join(project, 'memory'))).toBe(false)
  await save(project, 'first-checkpoint-here', '--task', 'Begin')
  expect(existsSync(join(project, 'memory', 'checkpoints'))).toBe(true)
})

test('S3.4.16 names are kebab-case; another one is refused with a suggestion', async () => {
  const project = await aProject()
  const ran = await product.cli(['checkpoint', 'save', 'Build Login_Page'], { cwd: project })
  expect(ran.code).not.toBe(0)
  expect(ran.stderr).toContain('build-login-page')
  expect((await product.cli(['checkpoint', 'save', '../../etc-passwd'], { cwd: project })).code).not.toBe(0)
})

test('S3.4.18 task, work, save, untitled and backup are refused', async () => {
  const project = await aProject()
  for (const name of ['task', 'work', 'save', 'untitled', 'backup'])
    expect([name, (await product.cli(['checkpoint', 'save', name], { cwd: project })).code]).not.toEqual([name, 0])
})

test('S3.4.19 resume flags files that changed or are gone', async () => {
  const project = await aSavedProject()
  writeFileSync(join(project, 'src', 'parser.ts'), 'export const parse = 2\n')
  const changed = await product.cli(['checkpoint', 'resume', 'split-quoted-commas'], { cwd: project })
  expect(changed.stdout).toMatch(/src\/parser\.ts.*chang|chang.*src\/parser\.ts/i)
  rmSync(join(project, 'src', 'parser.ts'))
  const gone = await product.cli(['checkpoint', 'resume', 'split-quoted-commas'], { cwd: project })
  expect(gone.stdout).toMatch(/src\/parser\.ts/)
})

test('a resume right after another look says that the branch was switched', async () => {
  const project = await aSavedProject()
  const resume = () => product.cli(['checkpoint', 'resume', 'split-quoted-commas'], { cwd: project })
  await product.run('git', ['branch', 'other'], { cwd: project })
  for (let round = 0; round < 3; round += 1) {
    await resume()
    await product.run('git', ['checkout', '--quiet', 'other'], { cwd: project })
    expect((await resume()).stdout).toContain('now on other')
    await product.run('git', ['checkout', '--quiet', 'main'], { cwd: project })
  }
})

test('S3.4.20 the banner has task, date with age, progress, next action and blockers', async () => {
  const { stdout } = await product.cli(['checkpoint', 'resume', 'split-quoted-commas'], { cwd: await aSavedProject() })
  for (const words of ['Resume:', 'Saved:', 'Progress:', 'Next action:', 'Blockers:']) expect(stdout).toContain(words)
})

test('S3.4.21 different: a yes executes the next action: Holdfast prints it for the agent, and runs nothing itself', async () => {
  const project = await aProject()
  await save(project, 'touch-a-marker', '--task', 'Touch', '--next', 'Run `touch RAN`')
  const { code } = await product.cli(['checkpoint', 'resume', 'touch-a-marker', '--yes'], { cwd: project })
  expect([code, existsSync(join(project, 'RAN'))]).toEqual([0, false])
})

test('S3.4.22 different: a no deletes the checkpoint: it stays, because the same document says that named ones stay until deleted', async () => {
  const project = await aSavedProject()
  await product.cli(['checkpoint', 'resume', 'split-quoted-commas'], { cwd: project, input: 'no\n' })
  expect(readCheckpoint(project, 'split-quoted-commas')).toContain('Split quoted commas')
})

const AUTOSAVE = join('memory', 'checkpoints', 'autosave.md')

async function anAutosavedSession(text = '## Current Task\nPrint invoices\n'): Promise<[string, ClaudeSession]> {
  const project = await aProject(text)
  const session = new ClaudeSession(product, project, { pid: product.anAgent() })
  await session.begin()
  return [project, session]
}

test('S3.4.23 a context above 70 % is saved', async () => {
  const [project, session] = await anAutosavedSession()
  await session.prompt('Print the invoices of March.')
  await session.say('Working on it.', { contextTokens: 150_000 })
  await session.prompt('Go on with April.')
  await waitUntil(() => existsSync(join(project, AUTOSAVE)), 'the autosave')
})

test('S3.4.24 a farewell is saved, in both languages', async () => {
  for (const farewell of ['goodnight', '晚安']) {
    const [project, session] = await anAutosavedSession()
    await session.prompt(farewell)
    await waitUntil(() => existsSync(join(project, AUTOSAVE)), 'the autosave')
  }
})

test('S3.4.25 a session that is idle for ten minutes with open work is saved', () => {
  const config = readFileSync(join(root, 'docs', 'reference', 'config.md'), 'utf8')
  expect(config).toMatch(/`autosave\.idleMs`[^\n]*600000/)
})

test('S3.4.26 different: a long operation is preceded by a save: only while the context fills up or autosave.mode is always, because a build every few minutes risks nothing', async () => {
  const [project, session] = await anAutosavedSession()
  await session.prompt('Deploy the shop.')
  await session.ask('Bash', { command: 'npm run build' })
  await session.say('Building.', { contextTokens: 130_000 })
  await session.prompt('Once more.')
  expect(existsSync(join(project, AUTOSAVE))).toBe(false)
  await waitUntil(async () => {
    await session.ask('Bash', { command: 'npm run build' })
    return existsSync(join(project, AUTOSAVE))
  }, 'the autosave')
})

test('S3.4.28 every autosave is a line of autosave-log.md', async () => {
  const project = await aProject(SESSION_STATE)
  await product.json(['checkpoint', 'autosave', '--reason', 'before a migration'], { cwd: project })
  expect(readCheckpoint(project, 'autosave-log')).toMatch(/autosave written.*before a migration/)
})

test('S3.4.29 an autosave by a signal prints nothing', async () => {
  const [, session] = await anAutosavedSession()
  expect(await session.prompt('goodnight')).not.toMatch(/autosave/i)
})

test('S3.4.31 an autosave never overwrites a named checkpoint', async () => {
  const project = await aProject(SESSION_STATE)
  await save(project, 'print-invoices')
  const before = readCheckpoint(project, 'print-invoices')
  await product.json(['checkpoint', 'autosave'], { cwd: project })
  expect(readCheckpoint(project, 'print-invoices')).toBe(before)
})

test('S3.4.34 the skill lists what not to do, with good and bad examples', () => {
  const skill = readSkill('SKILL.md')
  for (const words of ['## Do not', 'one-shot', 'raw conversation']) expect(skill).toContain(words)
  expect(readSkill('references', 'checkpoint-format.md')).toMatch(/good|bad/i)
})

test('S3.4.35 the file has the five sections of the format, in its order', async () => {
  const headings = [...readCheckpoint(await aSavedProject(), 'split-quoted-commas').matchAll(/^## (.+)$/gm)]
  expect(headings.map(([, title]) => title).slice(0, 5)).toEqual([
    ...['Progress', 'Next Action', 'Blockers', 'Key Decisions', 'Relevant Context'],
  ])
})

test('S3.4.36 the working buffer is read when SESSION-STATE.md is thin', async () => {
  const project = await aProject()
  mkdirSync(join(project, 'memory'))
  const buffer =
    '# Working Buffer (Danger Zone Log)\n\n**Status:** ACTIVE\n\n---\n\n## [2026-11-18 10:00] Human\nPrint the invoices on green paper.\n'
  writeFileSync(join(project, 'memory', 'working-buffer.md'), buffer)
  await save(project, 'print-on-green-paper')
  expect(readCheckpoint(project, 'print-on-green-paper')).toContain('green paper')
})

test('S3.4.37 the skill ships its three references', () => {
  for (const name of ['checkpoint-format', 'resume-flow', 'auto-checkpoint-signals']) {
    expect(readSkill('SKILL.md')).toContain(`references/${name}.md`)
    expect(readSkill('references', `${name}.md`).length).toBeGreaterThan(200)
  }
})

test('checkpoint_save takes the names that agents use for its arguments', async () => {
  const project = await aProject()
  await using client = await connect(project)
  const input = {
    checkpoint_name: 'print-on-blue-paper',
    title: 'Blue paper',
    next_step: 'Run `make blue`',
    blocker: 'No ink',
  }
  await client.json('checkpoint_save', { ...input, files: 'src/parser.ts', decision: 'Blue because of the brand' })
  for (const text of ['Blue paper', 'make blue', 'No ink', 'src/parser.ts', 'because of the brand'])
    expect(readCheckpoint(project, 'print-on-blue-paper')).toContain(text)
})
