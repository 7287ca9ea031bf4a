import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'

const POLL_MS = 50
const KEY_PAUSE_MS = 300
const ECHOED_CHARS = 8
const ECHO_WAIT_MS = 10_000

/** Why no terminal can be had here; undefined when one can. util-linux's script(1) is an essential package of Debian. */
export function noTerminalReason(): string | undefined {
  if (process.platform !== 'linux') return `script(1) takes other options on ${process.platform}`
  const { status } = spawnSync('script', ['--version'])
  return status === 0 ? undefined : 'script(1) of util-linux is missing'
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}

async function childrenOf(pid: number): Promise<readonly number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return children.split(' ').filter(Boolean).map(Number)
}

/** An interactive program in a terminal of its own. */
export class Terminal implements AsyncDisposable {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #closed: Promise<number | null>
  #output = ''

  constructor(
    command: readonly string[],
    options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  ) {
    const line = `stty rows 50 cols 160; exec ${command.map(quote).join(' ')}`
    this.#child = spawn('script', ['--quiet', '--return', '--flush', '--command', line, '/dev/null'], {
      cwd: options.cwd,
      env: { ...options.env },
    })
    this.#child.stdout.on('data', (chunk: Buffer) => (this.#output += chunk.toString()))
    this.#closed = new Promise((resolve, reject) => {
      this.#child.once('error', reject)
      this.#child.once('close', resolve)
    })
  }

  /** Everything shown so far without spaces: a screen is painted by moving the cursor rather than by spaces. */
  get shown(): string {
    return stripVTControlCharacters(this.#output).replaceAll(/\s+/g, '')
  }

  async waitFor(text: string, deadlineMs = 120_000): Promise<void> {
    const wanted = text.replaceAll(/\s+/g, '')
    for (let waitedMs = 0; waitedMs < deadlineMs; waitedMs += POLL_MS) {
      if (this.shown.includes(wanted)) return
      await sleep(POLL_MS)
    }
    throw new Error(`The terminal never showed ${JSON.stringify(text)}. It showed:\n${this.shown.slice(-2000)}`)
  }

  /** The pause lets the program take the text as typed before Enter comes: together they would be read as a paste. */
  async enter(text: string): Promise<void> {
    const before = this.shown.length
    const echo = text.replaceAll(/\s+/g, '').slice(0, ECHOED_CHARS)
    this.#child.stdin.write(text)
    // A busy machine shows late that it has read; a program that paints its input otherwise is not waited for for ever.
    for (let waitedMs = 0; waitedMs < ECHO_WAIT_MS && !this.shown.slice(before).includes(echo); waitedMs += POLL_MS) {
      await sleep(POLL_MS)
    }
    await sleep(KEY_PAUSE_MS)
    this.#child.stdin.write('\r')
  }

  /** Its exit code, once it ended by itself. */
  async ended(): Promise<number | null> {
    return this.#closed
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // script(1) does not pass signals on: its program is ended instead, and it follows.
    const pid = this.#child.pid
    const programs = this.#child.exitCode === null && pid !== undefined ? await childrenOf(pid) : []
    for (const program of programs) process.kill(program, 'SIGKILL')
    await this.#closed
  }
}
