import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ClaudeSession } from '../support/claude-session.ts'
import { Product, waitUntil } from '../support/product.ts'

const PATIENCE_MS = 80_000

async function connected(env: NodeJS.ProcessEnv = {}): Promise<Product> {
  const product = new Product(env)
  await product.connect()
  return product
}

async function triggersOf(product: Product, sessionKey: string): Promise<readonly unknown[]> {
  const rows = await product.json(['checkpoints', 'list', '--session', sessionKey])
  return Array.isArray(rows) ? rows.map((row) => Object(row).trigger) : []
}

function hasTrigger(product: Product, sessionKey: string, trigger: string): () => Promise<boolean> {
  return async () => (await triggersOf(product, sessionKey)).includes(trigger)
}

describe('a checkpoint saved by name', () => {
  test('on the command line, without a session, comes first in the next session', async () => {
    await using product = await connected()
    const project = await product.aProject('app')
    const pid = product.anAgent()
    const session = new ClaudeSession(product, project, { pid })
    await session.begin()
    await session.prompt('Make the parser in src/parser.ts keep blank lines as separators.')
    await session.edit('src/parser.ts', 'text.split', 'splitLines(text)')
    await product.kill(pid)
    const saved = await product.json(
      ['checkpoint', 'save', 'blank-lines', '--task', 'Blank lines', '--next', 'Run `npm test -- blank`'],
      { cwd: project },
    )
    expect(saved).toMatchObject({ isRecorded: true, isSessionMadeUp: true })
    let told = ''
    // An answer that came too late for its hook counts as told: then another session asks.
    for (let sessions = 0; told === '' && sessions < 5; sessions += 1)
      told = await new ClaudeSession(product, project, { pid: product.anAgent() }).begin()
    expect(told).toContain('| Next: Run `npm test -- blank`')
    expect(told).toContain('src/parser.ts')
  })

  test('needs a yes where the configuration says so, and is kept without one', async () => {
    await using product = new Product()
    const project = await product.aProject('app')
    await product.json(['checkpoint', 'save', 'list-files', '--task', 'A task', '--next', 'Run `ls`'], { cwd: project })
    const resume = (confirm: string, ...more: readonly string[]) =>
      product.cli(['checkpoint', 'resume', 'list-files', ...more], {
        cwd: project,
        env: { HOLDFAST_RESUME_CONFIRM: confirm },
      })
    expect(await resume('interactive')).toMatchObject({ code: 0, stdout: expect.stringContaining('(yes/no)') })
    expect(await resume('always')).toMatchObject({ code: 1, stdout: expect.stringContaining('resume.confirm is') })
    expect(await resume('always', '--yes')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Next: Run `ls`'),
    })
    expect(await resume('never')).toMatchObject({ code: 0, stdout: expect.not.stringContaining('(yes/no)') })
    const file = join(project, 'memory', 'checkpoints', 'list-files.md')
    writeFileSync(file, `${readFileSync(file, 'utf8')}\nby hand\n`)
    expect(await resume('never')).toMatchObject({ code: 0, stdout: expect.stringContaining('(yes/no)') })
    expect(existsSync(file)).toBe(true)
  })
})

describe('autosave', () => {
  test('at a farewell writes its file and log where the project keeps a SESSION-STATE.md, and the end adds nothing', async () => {
    await using product = await connected()
    const project = await product.aProject('app')
    const secret = ['ghp', 'Ss3dEf7hIj1kLm5nOp9qRs2tUv6wXy0zAb3d'].join('_')
    writeFileSync(
      join(project, 'SESSION-STATE.md'),
      `## Current Task\nBlank lines, with ${secret}\n## Next\nRun \`npm test\`\n`,
    )
    const session = new ClaudeSession(product, project, { pid: product.anAgent() })
    await session.begin()
    await session.prompt('Make the parser in src/parser.ts keep blank lines as separators.')
    await session.prompt('goodnight')
    const file = join(project, 'memory', 'checkpoints', 'autosave.md')
    const log = join(project, 'memory', 'checkpoints', 'autosave-log.md')
    await waitUntil(() => existsSync(log), 'the autosave is logged', PATIENCE_MS)
    expect(readFileSync(file, 'utf8')).toContain('# Checkpoint: autosave')
    expect(readFileSync(file, 'utf8')).toContain('Run `npm test`')
    expect(readFileSync(file, 'utf8')).not.toContain(secret)
    expect(readFileSync(log, 'utf8')).toMatch(/autosave written \(the user said goodnight\)\n$/)
    expect(await triggersOf(product, session.id)).toContain('autosave')
    await session.fire('SessionEnd', { reason: 'exit' })
    await product.cli(['daemon', 'stop'])
    expect(readFileSync(log, 'utf8').match(/autosave written/g)).toHaveLength(1)
    expect(await product.json(['checkpoint', 'list'], { cwd: project })).toMatchObject([{ name: 'autosave' }])
  })

  test('leaves a project alone that has no SESSION-STATE.md, whatever is said there', async () => {
    await using product = await connected()
    const project = await product.aProject('app')
    const session = new ClaudeSession(product, project, { pid: product.anAgent() })
    await session.begin()
    await session.prompt('Make the parser in src/parser.ts keep blank lines as separators.')
    await session.prompt('goodnight')
    await waitUntil(hasTrigger(product, session.id, 'autosave'), 'the store has its checkpoint', PATIENCE_MS)
    await session.fire('SessionEnd', { reason: 'exit' })
    // Stopping waits for what is under way.
    await product.cli(['daemon', 'stop'])
    expect(existsSync(join(project, 'memory'))).toBe(false)
  })

  test('comes when the context fills up, with a working buffer, where the user switched it on', async () => {
    await using product = await connected({ HOLDFAST_AUTOSAVE_MODE: 'always' })
    const project = await product.aProject('app')
    const session = new ClaudeSession(product, project, { pid: product.anAgent() })
    await session.begin()
    await session.prompt('Make the parser in src/parser.ts keep blank lines as separators.')
    const usage = {
      input_tokens: 2_000,
      cache_read_input_tokens: 150_000,
      cache_creation_input_tokens: 1_000,
      output_tokens: 9,
    }
    const line = {
      type: 'assistant',
      uuid: 'full',
      sessionId: session.id,
      cwd: project,
      version: '2.1.325',
      isSidechain: false,
      timestamp: new Date().toISOString(),
      message: { id: 'msg_full', role: 'assistant', content: [{ type: 'text', text: 'Much was read.' }], usage },
    }
    appendFileSync(session.transcript, `${JSON.stringify(line)}\n`)
    await session.fire('Stop', { last_assistant_message: 'Much was read.' })
    const log = join(project, 'memory', 'checkpoints', 'autosave-log.md')
    await waitUntil(() => existsSync(log), 'the autosave is logged', PATIENCE_MS)
    expect(readFileSync(log, 'utf8')).toMatch(/autosave written \(context 76%\)\n$/)
    const buffer = join(project, 'memory', 'working-buffer.md')
    expect(readFileSync(buffer, 'utf8')).toMatch(/^# Working Buffer \(Danger Zone Log\)\n\*\*Status:\*\* ACTIVE\n/)
    await session.prompt('Remember the blank lines.')
    await waitUntil(() => readFileSync(buffer, 'utf8').includes('Human'), 'the prompt is in the buffer', PATIENCE_MS)
    expect(readFileSync(buffer, 'utf8')).toMatch(/## \[.*\] Human\nRemember the blank lines\.\n$/)
  })
})
