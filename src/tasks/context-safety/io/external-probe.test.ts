import { createServer } from 'node:http'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { createProbe } from './external-probe.ts'

const sample = { answers: ['I did it.'], given: ['some output'] }
const script = (code: string) => [process.execPath, '-e', code].map((word) => `'${word}'`).join(' ')

test('nothing configured means the local probe', () => {
  expect(createProbe('', {})).toBeUndefined()
})

test('a command gets the sample on its stdin and answers on its stdout', async () => {
  const code =
    'let s="";process.stdin.on("data",(d)=>s+=d).on("end",()=>{const q=JSON.parse(s);console.log(JSON.stringify({refusal_rate_window:0.5,severity:"low",signs:[q.answers[0]]}))})'
  const probe = createProbe(script(code), process.env)
  expect(await probe?.read(sample)).toEqual({ refusalRate: 0.5, severity: 'low', signs: ['I did it.'] })
})

test.each([
  ['fails', 'process.exit(3)', 'The probe ended with 3.'],
  ['answers nothing', '', 'JSON'],
  ['answers no rate', 'console.log("{}")', 'refusal_rate_window'],
  ['answers a rate that is none', 'console.log(JSON.stringify({refusal_rate_window:7}))', 'refusal_rate_window'],
])('a command that %s is an error, never a reading', async (_, code, message) => {
  await expect(createProbe(script(code), process.env)?.read(sample)).rejects.toThrow(message)
})

test('a missing command is an error', async () => {
  await expect(createProbe('/no/such/probe', process.env)?.read(sample)).rejects.toThrow('ENOENT')
})

test('a URL receives a POST, and a redirect is not followed', async () => {
  let posted = ''
  await using server = createServer((incoming, outgoing) => {
    if (incoming.url === '/moved') return void outgoing.writeHead(302, { location: '/' }).end()
    incoming.setEncoding('utf8').on('data', (chunk: string) => {
      posted += chunk
    })
    incoming.on('end', () => outgoing.end(JSON.stringify({ refusal_rate_window: 0.25, severity: 'medium' })))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const probe = createProbe(`http://127.0.0.1:${port}/`, {})
  expect(await probe?.read(sample)).toEqual({ refusalRate: 0.25, severity: 'medium', signs: [] })
  expect(JSON.parse(posted)).toEqual(sample)
  await expect(createProbe(`http://127.0.0.1:${port}/moved`, {})?.read(sample)).rejects.toThrow('fetch failed')
})
