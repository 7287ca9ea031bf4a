import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import * as z from 'zod'
import { getErrorMessage } from '../kernel/errors.ts'
import { PROBE_HOOK, type Probe } from './contract/setup.ts'

export interface ProbeResult {
  readonly isOk: boolean
  readonly durationMs: number
  /** A sentence about the result. */
  readonly detail: string
}

const DEADLINE_MS = 10_000
/** A server's answer contains our instructions. */
const MAX_OUTPUT_CHARS = 64_000
const PAYLOAD = JSON.stringify({ session_id: 'holdfast-doctor', hook_event_name: PROBE_HOOK })

interface ProgramResult {
  readonly code: number | null
  readonly output: string
}

function runProgram(child: ChildProcessWithoutNullStreams, input: string): Promise<ProgramResult> {
  return new Promise((resolve, reject) => {
    let output = ''
    const add = (chunk: Buffer) => {
      output = (output + chunk.toString('utf8')).slice(0, MAX_OUTPUT_CHARS)
    }
    child.stdout.on('data', add)
    child.stderr.on('data', add)
    // A hook that does not read its stdin breaks the pipe; its exit code is reported.
    child.stdin.on('error', () => undefined)
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, output }))
    child.stdin.end(input)
  })
}

async function tryCommand(command: string, env: NodeJS.ProcessEnv): Promise<Omit<ProbeResult, 'durationMs'>> {
  const { code, output } = await runProgram(
    spawn(command, { shell: true, env, stdio: ['pipe', 'pipe', 'pipe'], timeout: DEADLINE_MS }),
    PAYLOAD,
  )
  if (code === null) return { isOk: false, detail: `it did not end within ${DEADLINE_MS / 1_000} seconds` }
  if (code !== 0) return { isOk: false, detail: `it ended with ${code}: ${output.trim().slice(0, 300)}` }
  if (output.trim() !== '')
    return { isOk: false, detail: `it printed ${JSON.stringify(output.slice(0, 200))} where no output is expected` }
  return { isOk: true, detail: 'it ended with 0 and printed nothing' }
}

async function tryHttp(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<Omit<ProbeResult, 'durationMs'>> {
  const reply = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: PAYLOAD,
    signal: AbortSignal.timeout(DEADLINE_MS),
    redirect: 'error',
  })
  const text = await reply.text()
  if (reply.status !== 200) return { isOk: false, detail: `the status of the answer is ${reply.status}` }
  return text === '{}'
    ? { isOk: true, detail: 'it was answered' }
    : { isOk: false, detail: 'the answer is not from Holdfast' }
}

const HELLO = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'holdfast-doctor', version: '1' } },
}
const Answer = z.looseObject({ result: z.looseObject({ serverInfo: z.looseObject({ name: z.string() }) }) })

async function tryMcp(
  { command, args, env: own }: Extract<Probe, { way: 'mcp' }>,
  env: NodeJS.ProcessEnv,
): Promise<Omit<ProbeResult, 'durationMs'>> {
  const { code, output } = await runProgram(
    spawn(command, [...args], { env: { ...env, ...own }, stdio: ['pipe', 'pipe', 'pipe'], timeout: DEADLINE_MS }),
    `${JSON.stringify(HELLO)}\n`,
  )
  const answers = output.split('\n').map((line) => Answer.safeParse(parseJson(line)))
  if (answers.some((answer) => answer.success)) return { isOk: true, detail: 'it was answered' }
  const how = code === null ? `it did not end within ${DEADLINE_MS / 1_000} seconds` : `it ended with ${code}`
  return { isOk: false, detail: `${how} and printed ${JSON.stringify(output.trim().slice(0, 300))}` }
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    // Other output of the server.
    return undefined
  }
}

/** Makes the harness's call with an empty payload. Never throws. */
export async function runProbe(probe: Probe, env: NodeJS.ProcessEnv): Promise<ProbeResult> {
  const started = performance.now()
  const withDuration = (result: Omit<ProbeResult, 'durationMs'>) => ({
    ...result,
    durationMs: Math.round(performance.now() - started),
  })
  try {
    switch (probe.way) {
      case 'command':
        return withDuration(await tryCommand(probe.command, env))
      case 'http':
        return withDuration(await tryHttp(probe.url, probe.headers))
      case 'mcp':
        return withDuration(await tryMcp(probe, env))
    }
  } catch (thrown) {
    return withDuration({ isOk: false, detail: getErrorMessage(thrown) })
  }
}
