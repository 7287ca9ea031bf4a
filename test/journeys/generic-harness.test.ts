import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { asList, asObject, asText } from '../../src/kernel/json-shape.ts'
import { Product, waitUntil } from '../support/product.ts'

const page = /```json\n([\s\S]*?)```/.exec(
  readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'generic-harness.md'), 'utf8'),
)?.[1]

/** A harness that nobody has code for: it runs what stands in its own hooks file, with its own payloads. */
class Typist {
  constructor(
    readonly product: Product,
    readonly folder: string,
    readonly chat: { readonly id: string; readonly folder: string },
  ) {}

  async fire(hook: string, payload: object): Promise<unknown> {
    const settings = asObject(JSON.parse(readFileSync(join(this.folder, 'hooks.json'), 'utf8')))
    const [group] = asList(asObject(settings.hooks)[hook])
    const [entry] = asList(asObject(group).hooks)
    const command = asText(asObject(entry).command) ?? ''
    const input = JSON.stringify({ chat: this.chat, ...payload })
    // The content matters here, not the latency.
    const env = { HOLDFAST_HOOK_BUDGET_MS: '20000' }
    const { code, stdout } = await this.product.run('/bin/sh', ['-c', command], { input, env })
    if (code !== 0) throw new Error(`${hook} ended with ${code}`)
    return stdout === '' ? undefined : JSON.parse(stdout)
  }
}

test('a harness is connected by a page of JSON: it is understood, answered in its own words, examined, and left as it was', async () => {
  await using product = new Product()
  const project = await product.aProject('parser')
  const folder = join(product.dir, 'user', '.typist')
  const file = join(product.dir, 'typist.json')
  writeFileSync(file, page ?? '')
  const init = ['init', '--harness', 'generic', '--config', file]
  expect(await product.json([...init, '--dry-run'])).toMatchObject({
    harnesses: [{ page: 'typist', isChanged: false }],
  })
  expect(existsSync(folder)).toBe(false)
  expect(await product.json([...init, '--yes'])).toMatchObject({ harnesses: [{ page: 'typist', isChanged: true }] })

  const first = new Typist(product, folder, { id: 's-1', folder: project })
  await first.fire('Boot', { why: 'fresh' })
  await first.fire('Ask', { text: 'Make the parser keep blank lines.', message_id: 'm1' })
  const edit = { tool: 'edit', arguments: { path: join(project, 'src/parser.ts'), old_string: 'a', new_string: 'b' } }
  await first.fire('AfterTool', { ...edit, call_id: 'c1', result: 'done', usage: { total: 61_000, limit: 100_000 } })
  await first.fire('ToolFailed', { tool: 'bash', arguments: { command: 'npm test' }, call_id: 'c2', result: 'boom' })
  await first.fire('Reply', { text: 'One case is left.', message_id: 'm2' })
  await first.fire('Quit', {})
  expect(await product.json(['sessions', 'list'], { cwd: project })).toMatchObject([
    {
      key: 'typist:s-1',
      harness: 'generic',
      phase: 'ended',
      promptCount: 1,
      toolCount: 2,
      contextTokens: 61_000,
      contextWindowTokens: 100_000,
    },
  ])

  const second = new Typist(product, folder, { id: 's-2', folder: project })
  let told: unknown
  await waitUntil(async () => {
    told = await second.fire('Boot', { why: 'fresh' })
    return told !== undefined
  }, 'the next session gets the recovery of the last one')
  expect(asText(asObject(told).addToContext)).toContain('Make the parser keep blank lines.')

  const doctor: unknown = await product.json(['doctor', '--harness', 'generic'])
  const failed = asList(asObject(doctor).checks).filter((check) => asObject(check).verdict === 'fail')
  expect(failed).toEqual([])
  expect(JSON.stringify(doctor)).toContain('typist.session-started.Boot')

  await product.json(['uninstall', '--harness', 'generic', '--yes', '--verify'])
  expect(existsSync(folder)).toBe(false)
}, 300_000)
