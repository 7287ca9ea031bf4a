// For controls, a daemon as it must not be: it says "kept" at once and writes a moment later, and it knows no lock.
import { appendFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'

const home = process.env.HOLDFAST_HOME
const socket = join(home, 'run', 'daemon.sock')
const log = join(home, 'log.jsonl')
mkdirSync(join(home, 'run'), { recursive: true })
appendFileSync(log, '')
rmSync(socket, { force: true })

let seq = readFileSync(log, 'utf8').split('\n').length - 1

createServer((request, response) => {
  let body = ''
  request.on('data', (chunk) => (body += chunk))
  request.on('end', () => {
    if (request.method === 'GET') return response.end('{}')
    const rows = JSON.parse(body).events.map(({ id, sessionKey }) => ({ seq: ++seq, id, session: sessionKey }))
    setTimeout(() => appendFileSync(log, rows.map((row) => `${JSON.stringify(row)}\n`).join('')), 30)
    response.end(JSON.stringify({ recorded: rows }))
  })
}).listen(socket, () => console.log('Listening.'))
