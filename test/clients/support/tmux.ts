import { execFile, spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

const POLL_MS = 100
const COLUMNS = 120
const ROWS = 45
const SCROLLBACK = 5_000
const ECHOED_CHARS = 12
const ENTER_AGAIN_MS = 5_000
const ENTER_DEADLINE_MS = 90_000

/** Why no tmux can be had here; undefined when one can. */
export function noTmuxReason(): string | undefined {
  if (process.platform !== 'linux') return `processes are found under /proc, which ${process.platform} does not have`
  return spawnSync('tmux', ['-V']).status === 0 ? undefined : 'tmux is missing (Debian: apt-get install tmux)'
}

interface TmuxOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Where the socket of this server is, so that no other server is met. */
  readonly dir: string
}

/** A shell in a tmux of its own, in which a test types as a person would. */
export class Tmux implements AsyncDisposable {
  readonly #options: TmuxOptions

  private constructor(options: TmuxOptions) {
    this.#options = options
  }

  static async open(options: TmuxOptions): Promise<Tmux> {
    const tmux = new Tmux(options)
    const size = ['-x', String(COLUMNS), '-y', String(ROWS)]
    await tmux.#tmux('new-session', '-d', '-s', 'walk', ...size, '-c', options.cwd, 'bash --norc --noprofile')
    await tmux.#tmux('set-option', '-g', 'history-limit', String(SCROLLBACK))
    return tmux
  }

  async #tmux(...args: readonly string[]): Promise<string> {
    const server = ['-S', join(this.#options.dir, 'tmux.sock'), '-f', '/dev/null']
    const { stdout } = await run('tmux', [...server, ...args], { env: this.#options.env })
    return stdout
  }

  /** What is on the screen and above it. */
  async screen(): Promise<string> {
    return this.#tmux('capture-pane', '-p', '-J', '-t', 'walk', '-S', `-${SCROLLBACK}`)
  }

  async waitFor(text: string | RegExp, deadlineMs = 120_000): Promise<string> {
    for (let waitedMs = 0; ; waitedMs += POLL_MS) {
      const screen = await this.screen()
      if (typeof text === 'string' ? screen.includes(text) : text.test(screen)) return screen
      if (waitedMs > deadlineMs)
        throw new Error(`The terminal never showed ${text}. It showed:\n${screen.slice(-4000)}`)
      await sleep(POLL_MS)
    }
  }

  /** Empties screen and history, so that what comes next is not mistaken for what was there. */
  async clear(): Promise<void> {
    await this.#tmux('send-keys', '-R', '-t', 'walk')
    await this.#tmux('clear-history', '-t', 'walk')
  }

  /** Types a line. The pause lets the program take the text as typed: together with Enter it would be a paste. */
  async enter(text: string): Promise<void> {
    await this.#tmux('send-keys', '-t', 'walk', '-l', text)
    await this.waitFor(text.slice(0, ECHOED_CHARS))
    await sleep(500)
    await this.press('Enter')
  }

  /** Presses Enter again until it was taken: a program that is slow to read takes text and Enter together for a paste. */
  async enterUntil(text: string, isTaken: () => boolean | Promise<boolean>): Promise<void> {
    await this.enter(text)
    for (let waitedMs = 0; !(await isTaken()); waitedMs += POLL_MS) {
      if (waitedMs > ENTER_DEADLINE_MS) throw new Error(`${text} was typed, and nothing followed.`)
      if (waitedMs % ENTER_AGAIN_MS === ENTER_AGAIN_MS - POLL_MS) await this.press('Enter')
      await sleep(POLL_MS)
    }
  }

  /** Presses a key until the text is gone: a dialog that has just opened may not listen yet. */
  async pressUntilGone(key: string, text: string): Promise<void> {
    for (let waitedMs = 0; (await this.screen()).includes(text); waitedMs += POLL_MS) {
      if (waitedMs > ENTER_DEADLINE_MS) throw new Error(`${text} stays on the screen.`)
      if (waitedMs % ENTER_AGAIN_MS === 0) await this.press(key)
      await sleep(POLL_MS)
    }
  }

  async press(key: string): Promise<void> {
    await this.#tmux('send-keys', '-t', 'walk', key)
  }

  /** Runs a command of the shell to its end and returns what it printed after the line itself, with its exit code. */
  async command(line: string, deadlineMs = 180_000): Promise<{ readonly printed: string; readonly code: number }> {
    await this.clear()
    await this.enter(`${line}; echo "ended with $?."`)
    const screen = await this.waitFor(/^ended with \d+\.$/m, deadlineMs)
    const [, printed = '', code = ''] = /^.*\n([\s\S]*)^ended with (\d+)\.$/m.exec(screen) ?? []
    return { printed, code: Number(code) }
  }

  /** The program that runs in the shell; undefined when the shell waits. */
  async childPid(): Promise<number | undefined> {
    const shell = (await this.#tmux('display-message', '-p', '-t', 'walk', '#{pane_pid}')).trim()
    const children = await readFile(`/proc/${shell}/task/${shell}/children`, 'utf8')
    return children.split(' ').filter(Boolean).map(Number)[0]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tmux('kill-server')
  }
}
