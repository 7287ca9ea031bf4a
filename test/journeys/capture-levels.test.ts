import { afterAll, beforeAll, expect, test } from 'vitest'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ClaudeSession } from '../support/claude-session.ts'
import { PATIENT, Product } from '../support/product.ts'

let product: Product
const said = /zebra(?:prompt|answer|plan|todo|subagent|refusal|edit|summary)/g

/** The daemon may remove a file of the spool meanwhile. */
function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}

/** Which of these words are in any file of the home. */
function wordsInHome(words: RegExp): readonly string[] {
  const found = readdirSync(product.home, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .flatMap((entry) => readIfThere(join(entry.parentPath, entry.name)).match(words) ?? [])
  return [...new Set(found)].toSorted()
}

async function work(session: ClaudeSession): Promise<void> {
  await session.start()
  await session.prompt('Fix the zebraprompt module. Never push to zebraprompt.')
  await session.tool('TodoWrite', { todos: [{ content: 'zebratodo', status: 'in_progress', activeForm: 'zebratodo' }] })
  await session.tool('ExitPlanMode', { plan: '# zebraplan\n- step' }, { response: 'approved: zebraplan' })
  await session.tool(
    'Task',
    { description: 'zebrasubagent', prompt: 'zebrasubagent', subagent_type: 'general-purpose' },
    { response: { content: [{ type: 'text', text: 'zebrasubagent is done' }] } },
  )
  await session.bash('npm run zebracommand', { stdout: 'zebraresult 1 failing' })
  await session.edit('src/parser.ts', 'zebraedit', 'zebraedit2')
  await session.say('The zebraanswer is 42. Next I will fix zebraanswer.')
}

beforeAll(async () => {
  product = new Product(PATIENT)
  await product.connect()
})
afterAll(() => product[Symbol.asyncDispose]())

test('with capture = commands no word of prompts, answers and plans is stored, only commands, files and results', async () => {
  const project = await product.aProject('quiet')
  await product.json(['config', 'set', '--project', 'capture', 'commands'], { cwd: project })
  expect(await product.json(['config', 'get', 'capture'], { cwd: project })).toMatchObject({
    key: 'continuity.capture',
    value: 'commands',
    origin: 'project',
  })
  const session = new ClaudeSession(product, project, { pid: product.anAgent() })
  await work(session)
  await session.fire('PreCompact', { trigger: 'manual', custom_instructions: 'keep zebrasummary' })
  await session.fire('PostCompact', { trigger: 'manual', compact_summary: 'zebrasummary' })
  await session.end()
  const shown = Object(await product.json(['sessions', 'show', session.id], { cwd: project }))
  const kinds = shown.entries.map(({ kind }: { kind: string }) => kind)
  expect(kinds).toContain('command')
  expect(kinds).not.toContain('request')
  await product.json(['checkpoints'], { cwd: project })
  expect(wordsInHome(said)).toEqual([])
  expect(wordsInHome(/zebra(?:command|result)|src\/parser\.ts/g)).toEqual([
    'src/parser.ts',
    'zebracommand',
    'zebraresult',
  ])

  await product.killDaemon()
  const spooling = new ClaudeSession(product, project, { pid: product.anAgent() })
  await work(spooling)
  await spooling.end()
  expect(wordsInHome(said)).toEqual([])
  await product.json(['sessions'], { cwd: project })
  expect(wordsInHome(said)).toEqual([])
})

test('by default the same words are stored, except in a private span, also while the daemon is away', async () => {
  const project = await product.aProject('open')
  const session = new ClaudeSession(product, project, { pid: product.anAgent() })
  await work(session)
  await session.prompt('Go on. <private>gnuhidden\nand more</private>')
  await product.killDaemon()
  await session.prompt('Once more. <private>gnuhidden again')
  await session.end()
  await product.json(['sessions'], { cwd: project })
  expect(wordsInHome(said)).toEqual(expect.arrayContaining(['zebraanswer', 'zebraprompt']))
  expect(wordsInHome(/gnuhidden/g)).toEqual([])
})

test('with capture = off nothing of the project is stored, also while the daemon is away, and lists say why', async () => {
  const project = await product.aProject('closed')
  mkdirSync(join(project, '.holdfast'))
  writeFileSync(join(project, '.holdfast', 'config.json'), '{"capture":"off"}')
  const session = new ClaudeSession(product, project, { pid: product.anAgent() })
  await session.start()
  await session.bash('npm run gnucommand')
  await product.killDaemon()
  await session.bash('npm run gnucommand')
  await session.end()
  expect(wordsInHome(/gnucommand/g)).toEqual([])
  expect((await product.cli(['sessions'], { cwd: project })).stdout).toContain('switched off here')
})
