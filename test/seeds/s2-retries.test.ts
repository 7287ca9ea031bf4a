// S2, governed tasks: what follows a session that failed, by `holdfast run` on the built command line.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { PATIENT, Product } from '../support/product.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 600_000 })

const Report = z.object({
  outcome: z.string(),
  escalation: z.string().nullable(),
  sessions: z.array(
    z.object({
      decision: z.string().nullable(),
      failure: z.object({ kind: z.string() }).nullish(),
      files_changed: z.number().nullable(),
    }),
  ),
})
type RunReport = z.infer<typeof Report>

const FIXER = `const fs = require('node:fs')
fs.writeFileSync('src/parser.ts', 'the fixer was here')
console.log('Ask for the network to be mended.')`

/** Its words are what its n-th session prints before it fails; a session without one succeeds. */
const AGENT = `const fs = require('node:fs')
const [dir, ...failures] = process.argv.slice(1)
fs.appendFileSync(dir + '/sessions', 'x')
const n = fs.readFileSync(dir + '/sessions', 'utf8').length
fs.writeFileSync(dir + '/opening-' + n, fs.readFileSync(process.env.HOLDFAST_OPENING_FILE))
fs.writeFileSync('src/' + require('node:path').basename(dir) + '-' + n + '.ts', 'export const n = ' + n)
const text = failures[n - 1]
if (text !== undefined) { console.error(text); process.exitCode = 1 }`

let product: Product
let cwd: string
let mixed: RunReport
let logic: RunReport
let transient: RunReport
let persistent: RunReport

async function run(slug: string, ...command: readonly string[]): Promise<RunReport> {
  await product.json(['task', 'new', slug], { cwd })
  const { stdout } = await product.cli(['run', '--json', '--once', '--task', slug, '--', ...command], { cwd })
  return Report.parse(JSON.parse(stdout))
}

/** An agent that has a folder of its own for its openings. */
function anAgent(name: string, ...failures: readonly string[]): readonly string[] {
  mkdirSync(join(product.dir, name))
  return [process.execPath, '-e', AGENT, join(product.dir, name), ...failures]
}

const decisions = ({ sessions }: RunReport) => sessions.map(({ failure, decision }) => [failure?.kind, decision])
const opening = (name: string, n: number) => readFileSync(join(product.dir, name, `opening-${n}`), 'utf8')

beforeAll(async () => {
  product = new Product(PATIENT)
  cwd = await product.aProject('shop')
  mkdirSync(join(cwd, '.agentic-governance'))
  const limits = { transientWaitSec: 0, resourceWaitSec: 0, fixerCommand: [process.execPath, '-e', FIXER] }
  const options = { 'session-continuity': { run: limits } }
  writeFileSync(join(cwd, '.agentic-governance', 'config.json'), JSON.stringify({ packOptions: options }))
  const failures = ['Tests  1 failed | 11 passed (12)', 'ENOSPC: no space left on device']
  mixed = await run('feat-mixed', ...anAgent('mixed', ...failures))
  logic = await run('feat-plan', ...anAgent('plan', 'I found no way.'))
  const reset = 'API Error: read ECONNRESET'
  transient = await run('feat-network', ...anAgent('network', reset, reset, reset, reset))
  persistent = await run('feat-login', ...anAgent('login', 'Invalid API key · Please run /login'))
})

afterAll(async () => {
  await product[Symbol.asyncDispose]()
})

test('S2.41 a transient failure: the same step again, at most three attempts', () => {
  expect(decisions(transient)).toEqual([
    ['transient', 'retry'],
    ['transient', 'retry'],
    ['transient', 'escalate'],
  ])
})
test('S2.42 a test failure: the next session gets it and is asked for its cause', () => {
  expect(decisions(mixed)[0]).toEqual(['test', 'diagnose-and-retry'])
  expect(opening('mixed', 2)).toContain('First find out why these tests fail')
  expect(opening('mixed', 2)).toContain('Tests 1 failed | 11 passed (12)')
})
test('S2.43 an exhausted resource: wait, and again with more', () => {
  expect(decisions(mixed)[1]).toEqual(['resource', 'wait-and-retry'])
  expect(opening('mixed', 3)).toContain('A resource ran out.')
})
test('S2.44 a logic error: the files are as at the start of the session, the work is in a patch, and a new plan is asked for', () => {
  expect([logic.outcome, decisions(logic)[0]]).toEqual(['complete', ['logic', 'rollback-and-replan']])
  const text = opening('plan', 2)
  expect(text).toContain('Do not repeat the same approach')
  const patch = /saved in (\S+\.patch)/.exec(text)?.[1]
  expect(readFileSync(join(cwd, patch ?? ''), 'utf8')).toContain('src/plan-1.ts')
  expect(existsSync(join(cwd, 'src', 'plan-1.ts'))).toBe(false)
  // Control: the files of a session before it stay.
  expect(existsSync(join(cwd, 'src', 'mixed-1.ts'))).toBe(true)
})
test('S2.45 a persistent failure: a person at once, with a page about it', async () => {
  expect([persistent.outcome, decisions(persistent)]).toEqual(['escalated', [['persistent', 'escalate']]])
  expect(readFileSync(join(cwd, persistent.escalation ?? ''), 'utf8')).toContain('Invalid API key')
  expect((await product.cli(['task', 'show', 'feat-login'], { cwd })).stdout).toContain('blocked')
})
test('S2.46 three failures at a step: the fixer gives advice about it, on a copy', () => {
  const page = readFileSync(join(cwd, transient.escalation ?? ''), 'utf8')
  expect(page).toContain('Ask for the network to be mended.')
  expect(page).toContain('ran on a temporary copy. The project is unchanged.')
  expect(readFileSync(join(cwd, 'src', 'parser.ts'), 'utf8')).not.toContain('fixer')
})
