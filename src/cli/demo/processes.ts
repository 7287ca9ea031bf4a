import { spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { HoldfastError } from '../../kernel/errors.ts'

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly input?: string
  readonly shell?: boolean
}

const TIMEOUT_MS = 15_000

export function runProcess(program: string, args: readonly string[], options: RunOptions): Promise<Ran> {
  const { cwd, env, input = '', shell = false } = options
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...args], { cwd, env, shell, timeout: TIMEOUT_MS, killSignal: 'SIGKILL' })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk
    })
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      stderr += chunk
    })
    // A hook may answer before it has read everything.
    child.stdin.on('error', () => undefined)
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
    child.stdin.end(input)
  })
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** This very program, run again with another home. */
export class HoldfastCli {
  readonly #env: NodeJS.ProcessEnv
  readonly #cwd: string

  constructor(env: NodeJS.ProcessEnv, cwd: string) {
    this.#env = env
    this.#cwd = cwd
  }

  run(...words: readonly string[]): Promise<Ran> {
    const [node, script = ''] = process.argv
    return runProcess(node ?? process.execPath, [realpathSync(script), ...words], { cwd: this.#cwd, env: this.#env })
  }

  /** What it printed as JSON. Refuses when it failed, with its own words. */
  async json(...words: readonly string[]): Promise<unknown> {
    const { code, stdout, stderr } = await this.run(...words, '--json')
    if (code !== 0) {
      throw new HoldfastError('internal', `holdfast ${words.join(' ')} failed: ${(stdout || stderr).trim()}`)
    }
    return JSON.parse(stdout)
  }
}
