import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { createSpool } from '../../../../src/spool/spool.ts'
import type { SessionEvent } from '../../../../src/kernel/event.ts'
import { EventId, SessionKey } from '../../../../src/kernel/id.ts'
import { type Home, resolveHome } from '../../../../src/platform/base/home.ts'
import { acquireLock } from '../../../../src/storage/sqlite/connection/lock.ts'
import { commandOf, isRunnable, type Runner, RUNNERS } from '../../../support/hook-programs.ts'
import { killHard, pidIn, pidsWithHome, waitUntil } from '../../../support/product.ts'
import { gitRepository } from '../../../support/temp-dir.ts'
import { ask, dist, isUp, PATIENCE_MS, record } from '../daemon.ts'
import type { Recorder } from './recorder.ts'

/** In the order in which they happen. */
export const PHASES = ['new home', 'events', 'memories and files', 'daemon away', 'replay', 'stop'] as const
export type Phase = (typeof PHASES)[number]

/** What was said to whom while the recording ran. */
export interface Setup {
  /** Everything below it is what the power cut meets. */
  readonly root: string
  readonly home: string
  /** Rows of the log by the seq that the daemon promised: see `rowName`. */
  readonly promised: ReadonlyMap<number, string>
  readonly attempted: ReadonlySet<string>
  /** Those whose events are all known; commands have sessions of their own besides. */
  readonly sessions: ReadonlySet<string>
  /** The SHA-256 of files below the root that a command reported as written, by their path below the root. */
  readonly files: ReadonlyMap<string, string>
}

/** What tells one event of the recording from all others. */
export function rowName(event: SessionEvent): string {
  return event.kind === 'prompt-submitted' ? event.prompt : `${event.kind} in ${event.sessionKey}`
}

const CLI = join(import.meta.dirname, '..', '..', '..', '..', 'bin', 'holdfast')
const WRITERS = 3
const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

interface Director {
  readonly recorder: Recorder
  readonly root: string
  readonly env: NodeJS.ProcessEnv
}

/** Marks: `phase <name>`; `begin <name>`, after which the next answer of the daemon acknowledges it; `end <name>`, which does too. */
export class SceneDirector {
  readonly #recorder: Recorder
  readonly #root: string
  readonly #project: string
  readonly #home: Home
  readonly #env: NodeJS.ProcessEnv
  readonly #promised = new Map<number, string>()
  readonly #attempted = new Set<string>()
  readonly #sessions = new Set<string>()
  readonly #files = new Map<string, string>()

  constructor({ recorder, root, env }: Director) {
    this.#recorder = recorder
    this.#root = root
    this.#project = join(root, 'project')
    this.#env = env
    this.#home = resolveHome(env)
  }

  static prepare(root: string): void {
    gitRepository(join(root, 'project'))
  }

  #payload(hook: string, session: string, prompt: string): string {
    return JSON.stringify({
      hook_event_name: hook,
      session_id: session,
      cwd: this.#project,
      ...(hook === 'SessionStart' ? { source: 'startup' } : { prompt }),
    })
  }

  async #hook(runner: Runner, hook: string, session: string, prompt: string, isAlone = true): Promise<void> {
    const name = hook === 'SessionStart' ? `session-started in ${session}` : prompt
    this.#attempted.add(name)
    this.#sessions.add(session)
    const ran = await this.#recorder.send({
      ...(isAlone && { mark: `begin ${name}` }),
      end: `end ${name}`,
      command: [...commandOf(runner, dist), 'claude-code', hook],
      input: this.#payload(hook, session, prompt),
      cwd: this.#project,
      env: this.#env,
    })
    if (ran.code !== 0 || ran.stderr !== '') throw new Error(`${runner} ${hook}: ${JSON.stringify(ran)}`)
  }

  async #prompts(session: string, count: number): Promise<void> {
    const runners = RUNNERS.filter(isRunnable)
    for (let number = 0; number < count; number += 1)
      await this.#hook(runners[number % runners.length] ?? 'node', 'UserPromptSubmit', session, `${session} ${number}`)
  }

  async #cli(...args: readonly string[]): Promise<void> {
    const command = [process.execPath, CLI, ...args]
    const name = `command ${args.slice(0, 2).join(' ')}`
    const ran = await this.#recorder.send({ end: `end ${name}`, command, cwd: this.#project, env: this.#env })
    if (ran.code !== 0) throw new Error(`${name}: ${JSON.stringify(ran)}`)
  }

  /** Sends prompts over HTTP, each writer one request at a time: under load one sync serves several of them. */
  async #write(session: string, requests: number, filler: number): Promise<void> {
    const event = (name: string, key: string): SessionEvent => ({
      kind: 'prompt-submitted',
      id: EventId(`event-of-${name.split(' ', 2).join('-')}`),
      harness: 'claude-code',
      sessionKey: SessionKey(key),
      at: new Date().toISOString(),
      door: 'api',
      cwd: this.#project,
      prompt: name,
    })
    const writer = async (key: string) => {
      this.#sessions.add(key)
      for (let number = 0; number < requests; number += 1) {
        const names = Array.from({ length: 1 + (number % 3) }, (_, n) => `${key} ${number}.${n} ${'x'.repeat(filler)}`)
        for (const name of names) this.#attempted.add(name)
        const seqs = await record(
          this.#home.root,
          names.map((name) => event(name, key)),
        )
        if (seqs === undefined) throw new Error(`${key} ${number} was not recorded`)
        seqs.forEach((seq, index) => this.#promised.set(seq, names[index] ?? ''))
      }
    }
    await Promise.all(Array.from({ length: WRITERS }, (_, n) => writer(`${session}-${n}`)))
  }

  async #remember(content: string): Promise<void> {
    await this.#recorder.mark(`begin memory ${content}`)
    const { status } = await ask(this.#home.root, {
      path: '/api/memories',
      body: { content, cwd: this.#project, source: 'test' },
    })
    if (status !== 200) throw new Error(`a memory was answered with ${status}`)
    await this.#recorder.mark(`end memory ${content}`)
  }

  /** From here on the file must be there with the bytes that it has now. */
  async #promiseFile(path: string): Promise<void> {
    const name = relative(this.#root, path)
    this.#files.set(name, createHash('sha256').update(readFileSync(path)).digest('hex'))
    await this.#recorder.mark(`end file ${name}`)
  }

  async #connect(): Promise<void> {
    await this.#cli('init', '--harness', 'claude-code', '--yes')
    await this.#promiseFile(this.#home.manifestFile)
    await this.#promiseFile(this.#home.hookTokenFile)
    await this.#promiseFile(join(this.#root, 'claude', 'settings.json'))
    // `init` ends a daemon that listens on another port than hooks are now told.
    await this.#cli('daemon', 'start')
    await this.#daemonIsUp()
  }

  async #writeFiles(): Promise<void> {
    await this.#cli('checkpoint', 'save', 'power-cut', '--task', 'Survive', '--next', 'Pull the plug')
    await this.#promiseFile(join(this.#project, 'memory', 'checkpoints', 'power-cut.md'))
    await this.#cli('task', 'new', 'a-task', '--title', 'Survive a power cut')
    await this.#promiseFile(join(this.#project, 'tasks', 'a-task', 'meta', 'task.json'))
    await this.#cli('handoff', 'export', join(this.#root, 'work.handoff'))
    await this.#promiseFile(join(this.#root, 'work.handoff'))
    await this.#promiseFile(join(this.#home.root, 'handoff', 'key.pem'))
  }

  /** What a hook leaves that is killed after it made a folder and before it synced the parent. */
  async #leaveMarkedFolder(path: string): Promise<void> {
    const command = ['mkdir', '-m', '1700', path]
    const ran = await this.#recorder.send({ command, cwd: this.#root, env: this.#env })
    if (ran.code !== 0) throw new Error(`mkdir: ${JSON.stringify(ran)}`)
  }

  async #withoutDaemon(run: () => Promise<void>): Promise<void> {
    const pid = pidIn(this.#home.endpointFile)
    if (pid === undefined) throw new Error('there is no daemon to kill')
    killHard(pid)
    const isGone = () => !pidsWithHome(this.#home.root).includes(pid)
    await waitUntil(isGone, 'the daemon is gone', PATIENCE_MS)
    // Daemons that hooks start find the lock taken, and end.
    const lock = acquireLock(this.#home.lockFile)
    if (lock === undefined) throw new Error('somebody else has the lock')
    try {
      await run()
    } finally {
      lock.release()
    }
  }

  #daemonIsUp(): Promise<void> {
    return waitUntil(() => isUp(this.#home.root), 'the daemon answers', PATIENCE_MS)
  }

  async #replayed(): Promise<void> {
    const spool = createSpool({ home: this.#home, log: SILENT })
    await waitUntil(() => spool.backlog() === 0, 'the spool is empty', PATIENCE_MS)
  }

  async play(): Promise<Setup> {
    const phases: Readonly<Record<Phase, () => Promise<void>>> = {
      'new home': async () => {
        await this.#leaveMarkedFolder(dirname(this.#home.root))
        await Promise.all([
          this.#hook('node', 'UserPromptSubmit', 'first', 'first of two', false),
          this.#hook('bash', 'UserPromptSubmit', 'second', 'second of two', false),
        ])
        await this.#prompts('early', 3)
        await this.#hook('bash', 'SessionStart', 'early-start', '')
        await this.#daemonIsUp()
        await this.#replayed()
      },
      events: async () => {
        await Promise.all([this.#write('load', 60, 700), this.#prompts('hooked', 9)])
        await this.#write('more', 25, 3_000)
      },
      'memories and files': async () => {
        await this.#connect()
        for (let number = 0; number < 10; number += 1) await this.#remember(`memory number ${number} of the power cut`)
        await this.#writeFiles()
      },
      'daemon away': async () => {
        await this.#withoutDaemon(() => this.#prompts('away', 8))
      },
      replay: async () => {
        await this.#cli('daemon', 'start')
        await this.#daemonIsUp()
        await Promise.all([this.#replayed(), this.#write('again', 15, 200)])
      },
      stop: async () => {
        await this.#cli('daemon', 'stop')
        await this.#hook('bash', 'SessionStart', 'late-start', '')
        await this.#daemonIsUp()
        await this.#replayed()
        await this.#prompts('late', 3)
        await this.#cli('daemon', 'stop')
        await waitUntil(() => pidsWithHome(this.#home.root).length === 0, 'every process has ended', PATIENCE_MS)
      },
    }
    for (const phase of PHASES) {
      await this.#recorder.mark(`phase ${phase}`)
      await phases[phase]()
    }
    return {
      root: this.#root,
      home: this.#home.root,
      promised: this.#promised,
      attempted: this.#attempted,
      sessions: this.#sessions,
      files: this.#files,
    }
  }
}
