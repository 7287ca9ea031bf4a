import { once } from 'node:events'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { DEFAULT_CONFIG } from '../../kernel/config.ts'
import { getWriter } from '../presets.ts'
import { writeHandoff } from './write-handoff.ts'

const quote = (word: string) => `'${word}'`
const script = (code: string) => [process.execPath, '-e', code].map(quote).join(' ')
const aWriter = (command: string) => getWriter({ ...DEFAULT_CONFIG.digest, command }, [])

async function run(command: string, input = 'the excerpt', { timeoutMs = 20_000, env = {} } = {}) {
  using dir = tempDir()
  const home = { root: dir.path }
  try {
    return await writeHandoff(aWriter(command), input, { env: { ...process.env, ...env }, home, timeoutMs })
  } finally {
    expect(readdirSync(join(dir.path, 'scratch'), { recursive: true })).toEqual([])
  }
}

describe('a program that writes the handoff', () => {
  test('reads the excerpt on stdin; what it prints is the handoff, without colours', async () => {
    const code = String.raw`process.stdin.on("data",(d)=>console.log("\u001b[1mGot\u001b[0m: "+d))`
    expect(await run(script(code))).toBe('Got: the excerpt')
  })

  test('runs in an empty folder, with hooks of Holdfast switched off', async () => {
    const code = 'console.log(require("fs").readdirSync(".").length, process.env.HOLDFAST_OFF, process.env.KEPT)'
    expect(await run(script(code), '', { env: { KEPT: 'yes' } })).toBe('0 1 yes')
  })

  test('is not interpreted by a shell', () => {
    expect(() => aWriter('cat; rm -rf x')).toThrow('needs a shell')
  })

  test.each([
    ['fails', 'console.error("no quota");process.exit(3)', 'ended with 3: no quota'],
    ['prints nothing', '', 'printed nothing'],
    ['hangs', 'setInterval(()=>{},1000)', 'did not end within 0.5 s'],
  ])('that %s is refused with the reason', async (_, code, message) => {
    await expect(run(script(code), '', { timeoutMs: message.includes('0.5') ? 500 : 20_000 })).rejects.toThrow(message)
  })

  test('that prints without end is cut at a line', async () => {
    const text = await run(script('process.stdout.write("a line of words\\n".repeat(100000))'))
    expect(text.length).toBeLessThanOrEqual(12_000)
    expect(text.endsWith('a line of words')).toBe(true)
  })

  test('is never taken from a project: relative paths and folders of a checkout are refused', async () => {
    using dir = tempDir()
    const bin = join(dir.path, 'node_modules', '.bin')
    mkdirSync(bin, { recursive: true })
    writeFileSync(join(bin, 'writer-x'), '#!/bin/sh\necho hostile\n', { mode: 0o755 })
    const options = { env: { ...process.env, PATH: `${bin}:.` }, home: { root: dir.path }, timeoutMs: 5_000 }
    await expect(writeHandoff(aWriter('writer-x'), '', options)).rejects.toThrow('was not found')
    await expect(writeHandoff(aWriter('./writer-x'), '', options)).rejects.toThrow('was not found')
  })
})

describe('the preset local', () => {
  async function ask(answer: unknown, { url = '/v1', model = '', status = 200 } = {}) {
    const seen: { readonly path: string | undefined; readonly body: string }[] = []
    await using server = createServer((incoming, outgoing) => {
      let body = ''
      incoming.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
      incoming.on('end', () => {
        seen.push({ path: incoming.url, body })
        if (incoming.url === '/moved/chat/completions')
          return void outgoing.writeHead(302, { location: 'http://example.com/' }).end()
        const reply = incoming.url === '/v1/models' ? { data: [{ id: 'small' }, { id: 'large' }] } : answer
        outgoing.writeHead(status).end(JSON.stringify(reply))
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const spec = getWriter(
      { ...DEFAULT_CONFIG.digest, command: 'local', url: `http://127.0.0.1:${port}${url}`, model },
      [],
    )
    const text = await writeHandoff(spec, 'the excerpt', { env: {}, home: { root: '/' }, timeoutMs: 10_000 })
    return { text, seen: seen.map(({ path, body }) => [path, body === '' ? '' : JSON.parse(body)]) }
  }
  const said = (content: string | null) => ({ choices: [{ message: { role: 'assistant', content } }] })

  test('asks a server on loopback, with its first model unless one is named', async () => {
    const messages = [{ role: 'user', content: 'the excerpt' }]
    expect(await ask(said('Goal: a parser.'))).toEqual({
      text: 'Goal: a parser.',
      seen: [
        ['/v1/models', ''],
        ['/v1/chat/completions', { model: 'small', messages, stream: false }],
      ],
    })
    expect((await ask(said('Fine.'), { model: 'large' })).seen).toEqual([
      ['/v1/chat/completions', { model: 'large', messages, stream: false }],
    ])
  })

  test.each([
    ['an error', { error: 'no such model' }, { status: 404, model: 'x' }, 'status 404'],
    ['an empty answer', said(null), {}, 'printed nothing'],
    ['a redirect', said('x'), { url: '/moved', model: 'x' }, 'did not answer'],
  ])('%s is refused with the reason', async (_, answer, options, message) => {
    await expect(ask(answer, options)).rejects.toThrow(message)
  })

  test('never asks another machine', async () => {
    const spec = { kind: 'server', url: 'http://localhost.example.com/v1', model: '' } as const
    const options = { env: {}, home: { root: '/' }, timeoutMs: 1_000 }
    await expect(writeHandoff(spec, '', options)).rejects.toThrow('must be on this machine')
  })
})
