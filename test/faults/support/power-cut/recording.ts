import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { killHard, pidsWithHome } from '../../../support/product.ts'
import { DiskHistory } from './disk-history.ts'
import { Recorder } from './recorder.ts'
import { type Phase, PHASES, type Setup, SceneDirector } from './setup.ts'
import { bytesOf, descriptorPath, readTrace, splitArguments, type TracedCall } from './trace.ts'

/** Something acknowledged as durable: a row of the log, `memory <text>` or `file <path>`. */
export interface Acknowledgement {
  readonly name: string
  /** The line of the trace where it was said. */
  readonly at: number
  /** Where the daemon promised one. */
  readonly seq?: number
}

export interface Recording {
  readonly scene: Setup
  readonly history: DiskHistory
  readonly acknowledgements: readonly Acknowledgement[]
  /** Lines of the trace at which something happened, by phase: where a power cut can make a difference. */
  readonly moments: ReadonlyMap<Phase, readonly number[]>
}

const isPhase = (text: string): text is Phase => PHASES.some((phase) => phase === text)

/** Reads acknowledgements out of the trace: an answer of the daemon counts from the moment it is handed to the kernel. */
class AcknowledgementReader {
  readonly found = new Map<string, Acknowledgement>()
  readonly phases: { readonly phase: Phase; readonly from: number }[] = []
  readonly #scene: Setup
  readonly #marksFile: string
  #awaited: string | undefined

  constructor(scene: Setup, marksFile: string) {
    this.#scene = scene
    this.#marksFile = marksFile
  }

  follow(call: TracedCall): void {
    if (call.name !== 'write' && call.name !== 'writev') return
    const [descriptor = '', data = ''] = splitArguments(call.args)
    const path = descriptorPath(descriptor)
    if (path === this.#marksFile) this.#mark(bytesOf(data).toString('utf8').trimEnd(), call.begin)
    else if (path?.startsWith('socket:') === true) this.#answer(data, call.begin)
  }

  #acknowledge(name: string, at: number, seq?: number): void {
    if (!this.found.has(name)) this.found.set(name, { name, at, ...(seq !== undefined && { seq }) })
  }

  #mark(line: string, at: number): void {
    const space = line.indexOf(' ')
    const name = line.slice(space + 1)
    switch (line.slice(0, space)) {
      case 'phase':
        if (isPhase(name)) this.phases.push({ phase: name, from: at })
        return
      case 'begin':
        this.#awaited = name
        return
      case 'end':
        this.#awaited = undefined
        if (!name.startsWith('command ')) this.#acknowledge(name, at)
        return
      default:
        throw new Error(`there is no mark ${line}`)
    }
  }

  #answer(data: string, at: number): void {
    // Each piece of a vectored write is one string; the head of an answer is in the first.
    const text = Array.from(data.matchAll(/"[^"]*"/g), ([piece]) => bytesOf(piece).toString('utf8')).join('')
    if (!/^HTTP\/1\.1 20[04] /.test(text) || /^holdfast-unkept:/im.test(text)) return
    const seqs = text.includes('"recorded":') ? Array.from(text.matchAll(/"seq":(\d+)/g), ([, seq]) => Number(seq)) : []
    for (const seq of seqs) {
      const name = this.#scene.promised.get(seq)
      if (name !== undefined) this.#acknowledge(name, at, seq)
    }
    if (seqs.length > 0 || this.#awaited === undefined) return
    this.#acknowledge(this.#awaited, at)
    this.#awaited = undefined
  }
}

/** Plays the scene under strace in `folder` and reads back what happened to the disk. */
export async function record(folder: string): Promise<Recording> {
  const root = join(folder, 'disk')
  for (const below of ['', 'claude', 'user']) mkdirSync(join(root, below))
  SceneDirector.prepare(root)
  const history = new DiskHistory(root)
  const tmp = join(folder, 'tmp')
  mkdirSync(tmp)
  const recorder = new Recorder(folder, { PATH: process.env['PATH'] })
  let scene: Setup
  try {
    scene = await new SceneDirector({ recorder, root, env: environmentOf(root, tmp) }).play()
  } finally {
    // None is left after the scene; strace would wait for one that a failure left behind.
    for (const pid of pidsWithHome(homeIn(root))) killHard(pid)
    await recorder.close()
  }
  const reader = new AcknowledgementReader(scene, recorder.marksFile)
  for (const call of readTrace(recorder.traceFile)) {
    history.follow(call)
    reader.follow(call)
  }
  const differences = history.differences()
  if (differences.length > 0) throw new Error(`the trace does not explain the disk: ${differences.join('; ')}`)
  const acknowledgements = [...reader.found.values()]
  return { scene, history, acknowledgements, moments: momentsOf(history, acknowledgements, reader.phases) }
}

/** Two folders deep: the scene begins with the outer one half made. */
const homeIn = (root: string) => join(root, 'user', 'deep', 'home')

function environmentOf(root: string, tmp: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    HOME: join(root, 'user'),
    TMPDIR: tmp,
    HOLDFAST_HOME: homeIn(root),
    CLAUDE_CONFIG_DIR: join(root, 'claude'),
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_SYSTEM: '/dev/null',
    // Calls that go through a ring are not seen by strace.
    UV_USE_IO_URING: '0',
    // Under strace everything is slower; what is late is spooled, and this is about durability.
    HOLDFAST_HOOK_BUDGET_MS: '5000',
    HOLDFAST_CONTINUITY_DEBOUNCE_MS: '0',
    HOLDFAST_CONTINUITY_PROMPT_INTERVAL: '5',
  }
}

function momentsOf(
  history: DiskHistory,
  acknowledgements: readonly Acknowledgement[],
  phases: readonly { readonly phase: Phase; readonly from: number }[],
): ReadonlyMap<Phase, readonly number[]> {
  const spans = [...history.names, ...history.syncs, ...[...history.files].flatMap(({ changes }) => changes)]
  const all = [...spans.flatMap(({ begin, end }) => [begin, end]), ...acknowledgements.map(({ at }) => at)]
  return new Map(
    phases.map(({ phase, from }, index) => {
      const to = phases[index + 1]?.from ?? Number.POSITIVE_INFINITY
      return [phase, [...new Set(all.filter((line) => line >= from && line < to))]]
    }),
  )
}
