import { spawn } from 'node:child_process'
import { messageOf } from '../core/errors.ts'
import { PROBE_HOOK, type Probe } from './setup.ts'

export interface ProbeResult {
  readonly isOk: boolean
  readonly durationMs: number
  /** A sentence about what came of it. */
  readonly detail: string
}

const DEADLINE_MS = 10_000
const PAYLOAD = JSON.stringify({ session_id: 'holdfast-doctor', hook_event_name: PROBE_HOOK })

interface Ended {
  readonly code: number | null
  readonly output: string
}

function runCommand(command: string, env: NodeJS.ProcessEnv): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, { shell: true, env, stdio: ['pipe', 'pipe', 'pipe'], timeout: DEADLINE_MS })
    let output = ''
    const add = (chunk: Buffer) => {
      output = (output + chunk.toString('utf8')).slice(0, 2_000)
    }
    child.stdout.on('data', add)
    child.stderr.on('data', add)
    // A hook that does not read its stdin breaks the pipe; its exit code says the rest.
    child.stdin.on('error', () => undefined)
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, output }))
    child.stdin.end(PAYLOAD)
  })
}

async function tryCommand(command: string, env: NodeJS.ProcessEnv): Promise<Omit<ProbeResult, 'durationMs'>> {
  const { code, output } = await runCommand(command, env)
  if (code === null) return { isOk: false, detail: `it did not end within ${DEADLINE_MS / 1_000} seconds` }
  if (code !== 0) return { isOk: false, detail: `it ended with ${code}: ${output.trim().slice(0, 300)}` }
  if (output.trim() !== '')
    return { isOk: false, detail: `it printed ${JSON.stringify(output.slice(0, 200))} where nothing belongs` }
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
  if (reply.status !== 200) return { isOk: false, detail: `it was answered with ${reply.status}` }
  return text === '{}'
    ? { isOk: true, detail: 'it was answered' }
    : { isOk: false, detail: 'what answered is not Holdfast' }
}

/** Does what the harness would do, with a payload that tells nothing. Never throws. */
export async function runProbe(probe: Probe, env: NodeJS.ProcessEnv): Promise<ProbeResult> {
  const started = performance.now()
  const tell = (result: Omit<ProbeResult, 'durationMs'>) => ({
    ...result,
    durationMs: Math.round(performance.now() - started),
  })
  try {
    return tell(
      probe.way === 'command' ? await tryCommand(probe.command, env) : await tryHttp(probe.url, probe.headers),
    )
  } catch (thrown) {
    return tell({ isOk: false, detail: messageOf(thrown) })
  }
}
