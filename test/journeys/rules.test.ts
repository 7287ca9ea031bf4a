import { expect, test } from 'vitest'
import { ClaudeSession } from '../support/claude-session.ts'
import { PLANTED_RULES } from '../support/planted-rules.ts'
import { PATIENT, Product, waitUntil } from '../support/product.ts'

async function connected(): Promise<Product> {
  const product = new Product(PATIENT)
  await product.connect()
  return product
}

async function listRules(product: Product, cwd: string): Promise<readonly string[]> {
  const rules = await product.json(['rules', 'list'], { cwd })
  if (!Array.isArray(rules)) throw new Error(`not a list: ${JSON.stringify(rules)}`)
  for (const rule of rules) expect(Object.keys(Object(rule))).toEqual(['id', 'text', 'since', 'state'])
  return rules.map((rule) => String(Object(rule).text))
}

const REFUSED =
  "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\n"

/** Says each rule, with three compactions in between; then agent and daemon are killed. */
async function sayAndDie(product: Product, project: string, kind: string, said: readonly string[]): Promise<void> {
  const pid = product.anAgent()
  const session = new ClaudeSession(product, project, { pid })
  await session.start()
  for (const [index, words] of said.entries()) {
    if (kind === 'refused tool call') {
      await session.prompt('Go on.')
      await session.tool('Bash', { command: `./deploy.sh ${index}` }, { error: `${REFUSED}${words}`, isHookLost: true })
      await session.fire('Stop')
    } else await session.prompt(words)
    if (index >= 3) continue
    await session.fire('PreCompact', { trigger: 'auto' })
    await session.start('compact')
  }
  await product.kill(pid)
}

test('60 rules of 12 kinds are in force after three compactions and a kill', { timeout: 300_000 }, async () => {
  await using product = await connected()
  const missing: string[] = []
  let planted = 0
  for (const [kind, rules] of Object.entries(PLANTED_RULES)) {
    const project = await product.aProject(kind.replaceAll(' ', '-'))
    await sayAndDie(
      product,
      project,
      kind,
      rules.map(({ said }) => said),
    )
    await product.killDaemon()
    const next = new ClaudeSession(product, project, { pid: product.anAgent() })
    await next.begin()
    const listed = await listRules(product, project)
    planted += rules.length
    for (const { rule } of rules) if (!listed.includes(rule)) missing.push(`${kind}: ${rule}`)
    await next.end()
  }
  expect(planted).toBe(60)
  expect(missing).toEqual([])
})

test('a rule warns before the call that breaks it, is proposed by agents and decided on by people', async () => {
  await using product = await connected()
  const project = await product.aProject('app')
  const session = new ClaudeSession(product, project, { pid: product.anAgent() })
  await session.start()
  await session.prompt('Fix the parser. Never push to main.')
  await waitUntil(async () => (await listRules(product, project)).length === 1, 'the rule is found')
  expect(await session.ask('Bash', { command: 'git push origin main' })).toContain('Never push to main.')
  expect(await session.ask('Bash', { command: 'echo "git push origin main"' })).not.toContain('Never push to main.')
  const added = await product.json(['rules', 'add', 'Use', 'tabs.'], { cwd: project })
  const { id } = Object(added)
  expect(added).toEqual({ id, text: 'Use tabs.', since: expect.any(String), state: 'active' })
  await product.json(['rules', 'edit', String(id).slice(0, 8), 'Use spaces.'], { cwd: project })
  expect(await listRules(product, project)).toEqual(['Use spaces.', 'Never push to main.'])
  expect(await product.json(['rules', 'retire', id], { cwd: project })).toMatchObject({ state: 'retired' })
  expect(await listRules(product, project)).toEqual(['Never push to main.'])
  const unknown = await product.cli(['rules', 'retire', 'nothing'], { cwd: project })
  expect([unknown.code === 0, unknown.stderr.includes('holdfast rules list --all')]).toEqual([false, true])

  const [rule] = Object(await product.json(['rules', 'list'], { cwd: project }))
  const asAgent = { cwd: project, env: { CLAUDECODE: '1' } }
  const refuse = async (args: readonly string[], options: typeof asAgent | { cwd: string }) => {
    const ran = await product.cli(['rules', ...args], options)
    return ran.code !== 0 && ran.stderr.includes('Only the user can')
  }
  expect(await refuse(['retire', rule.id], asAgent)).toBe(true)
  expect(await refuse(['edit', rule.id, 'Push to main.'], asAgent)).toBe(true)
  const proposed = JSON.parse((await product.cli(['rules', 'add', 'Push', 'often.', '--json'], asAgent)).stdout)
  expect(proposed).toMatchObject({ text: 'Push often.', state: 'proposed' })
  expect(await refuse(['add', '--from', proposed.id], asAgent)).toBe(true)
  // Without the variable, by the process that started the command: this one, as the agent of another session.
  await new ClaudeSession(product, project, { pid: process.pid }).start()
  expect(await refuse(['retire', rule.id], { cwd: project })).toBe(true)
  expect(await product.json(['rules', 'list'], { cwd: project })).toContainEqual(rule)
})
