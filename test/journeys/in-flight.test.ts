import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { ClaudeSession } from '../support/claude-session.ts'
import { PATIENT, Product } from '../support/product.ts'

const shell = (more: Readonly<Record<string, unknown>>) => ({
  response: { stdout: '', stderr: '', interrupted: false, ...more },
})

test('what a killed session left running is given with its ids, and looked at again', {
  timeout: 120_000,
}, async () => {
  await using product = new Product(PATIENT)
  await product.connect()
  const project = await product.aProject('app')
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const trainer = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 600000)'], { stdio: 'ignore' })
  const pid = product.anAgent()
  const session = new ClaudeSession(product, project, { pid })
  await session.start()
  await session.prompt('Serve the docs, train the model, and let a subagent review the parser.')
  const serve = `python3 -m http.server ${port}`
  await session.tool('Bash', { command: serve, run_in_background: true }, shell({ backgroundTaskId: 'bash_1' }))
  const train = 'nohup ./train.sh > train.log 2>&1 & echo $!'
  await session.tool('Bash', { command: train }, shell({ stdout: `${trainer.pid}\n` }))
  const review = { description: 'Review the parser', prompt: 'Review it.', run_in_background: true }
  await session.tool('Agent', review, { response: { status: 'async_launched', agentId: 'a7f3', ...review } })
  await product.kill(pid)
  await product.killDaemon()

  const readNext = async () => {
    const next = new ClaudeSession(product, project, { pid: product.anAgent() })
    const text = await next.begin()
    const again = await next.compact()
    await next.end()
    return [text, again].map((one) => one.split('\n').find((line) => line.includes('Started, not seen to end')))
  }
  const list = (of: { server: string; trainer: string }) =>
    `| Started, not seen to end: server bash_1 \`${serve}\` on port ${port} (${of.server}); shell \`${train}\`, process ${trainer.pid} (${of.trainer}); subagent a7f3 \`Review the parser\` (gone)`
  const alive = list({ server: 'alive', trainer: 'a process has this id' })
  expect(await readNext()).toEqual([alive, alive])
  server.close()
  trainer.kill()
  await once(trainer, 'exit')
  const gone = list({ server: 'gone', trainer: 'gone' })
  expect(await readNext()).toEqual([gone, gone])
})
