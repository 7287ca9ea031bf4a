import { fstatSync } from 'node:fs'
import { Socket } from 'node:net'
import { findRefusal, startDaemon } from '../../client/daemon-start.ts'
import { createStartBackoff } from '../../client/daemon-start.ts'
import { isSocketTrusted } from '../../client/http.ts'
import { getErrorMessage } from '../../kernel/errors.ts'
import { resolveHome } from '../../platform/base/home.ts'
import { type DaemonLink, type LinkEnd, openLink } from './daemon-link.ts'
import { LineBuffer } from './open-requests.ts'
import { OpenRequests } from './open-requests.ts'
import { renderOpeningRequest } from './daemon-link.ts'

// `holdfast mcp`: copies lines of JSON-RPC from stdin to the daemon and back, and reconnects. No library is loaded,
// because an agent waits for this at every start.

const PATIENCE_MS = 15_000
const RETRY_MS = 20

const { env } = process
const home = resolveHome(env)
const request = renderOpeningRequest(env, process.cwd())
const open = new OpenRequests()
const fromClient = new LineBuffer()
const fromDaemon = new LineBuffer()

/** Undefined after the daemon stopped, until the next request: a daemon stopped on purpose is not restarted before that. */
let link: DaemonLink | undefined
/** Lines for a daemon that is not connected yet. */
let waiting: Buffer[] = []
let isClientDone = false
let isLinked = false
let awayMs = 0
const nowMs = () => process.uptime() * 1_000
const daemonScript = `${import.meta.dirname}/daemon.js`
const patientStart = () =>
  createStartBackoff(() => startDaemon({ home, env, script: daemonScript, isHarnessEnv: true }), nowMs)
let startAgain = patientStart()

function leave(code: number, why?: string): void {
  if (why !== undefined) {
    for (const refusal of open.refuseAll(why)) process.stdout.write(`${refusal}\n`)
    process.stderr.write(`holdfast mcp: ${why}\n`)
  }
  process.exitCode = code
  // Pending output to a pipe is written before this returns.
  process.stdout.write('', () => process.exit(code))
}

function toDaemon(lines: readonly Buffer[]): void {
  for (const line of lines) {
    open.onRequest(line)
    if (isLinked) link?.write(line)
    else waiting.push(line)
  }
  if (waiting.length > 0 && link === undefined) connect()
}

function toClient(chunk: Buffer): void {
  for (const line of fromDaemon.take(chunk)) {
    open.onReply(line)
    if (process.stdout.write(line)) continue
    link?.pause()
    process.stdout.once('drain', () => link?.resume())
  }
}

function linked(): void {
  isLinked = true
  for (const line of waiting) link?.write(line)
  waiting = []
  if (isClientDone) link?.finish()
}

/** The daemon stopped or was replaced: the next one takes over without the client noticing. */
function relink(): void {
  const { again, answers } = open.onDisconnect()
  for (const answer of answers) process.stdout.write(`${answer}\n`)
  fromDaemon.drop()
  waiting = [...again]
  isLinked = false
  link = undefined
  if (again.length > 0) connect()
  else if (isClientDone) leave(0)
}

function start(): string | undefined {
  try {
    startAgain()
    return undefined
  } catch (thrown) {
    return getErrorMessage(thrown)
  }
}

function ended(end: LinkEnd): void {
  if (end.why === 'closed' && isLinked) return relink()
  if (end.why === 'refused') {
    return leave(
      1,
      `The running daemon does not speak MCP (status ${end.status}): it is another version. Run \`holdfast daemon stop\` and connect again.`,
    )
  }
  const fault = end.why === 'absent' ? start() : undefined
  if (fault !== undefined) return leave(1, `The daemon cannot be started: ${fault}. Its log is ${home.daemonLog}.`)
  const refusal = end.why === 'absent' ? findRefusal(home, daemonScript) : undefined
  // A client that gets this as the answer to its first request can show it.
  if (refusal !== undefined && (open.size > 0 || isClientDone))
    return leave(1, `${refusal} \`holdfast doctor\` says what to do.`)
  if (nowMs() - awayMs > PATIENCE_MS) {
    return leave(1, `The daemon did not answer within ${PATIENCE_MS / 1_000} seconds. Its log is ${home.daemonLog}.`)
  }
  setTimeout(dial, RETRY_MS)
}

function connect(): void {
  awayMs = nowMs()
  startAgain = patientStart()
  dial()
}

function dial(): void {
  link = openLink(home.socket, request, { onOpen: linked, onData: toClient, onEnd: ended })
}

/** Creating process.stdin takes longer than the whole connection to the daemon. */
function openStdin(): NodeJS.ReadableStream {
  const facts = fstatSync(0)
  if (facts.isCharacterDevice() && process.stdin.isTTY) {
    process.stderr.write('holdfast mcp waits for JSON-RPC on stdin: it is for a harness to start. Ctrl-D ends it.\n')
  }
  return facts.isFIFO() || facts.isSocket() ? new Socket({ fd: 0, readable: true, writable: false }) : process.stdin
}

function clientDone(): void {
  if (isClientDone) return
  const last = fromClient.last()
  if (last !== undefined) toDaemon([last])
  isClientDone = true
  if (isLinked) link?.finish()
  else if (link === undefined) leave(0)
}

if (!isSocketTrusted(home)) {
  leave(1, `The folder of ${home.socket} belongs to another user, so nothing is sent there.`)
} else {
  connect()
  openStdin()
    .on('data', (chunk: Buffer | string) => toDaemon(fromClient.take(Buffer.from(chunk))))
    .on('end', clientDone)
    .on('error', clientDone)
  // The client has gone, so there is no one to answer.
  process.stdout.on('error', () => process.exit(0))
}
