import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pidIn, Product, type Ran } from '../../support/product.ts'

/** Whether this machine lets us mount in a namespace of our own and enter it again. */
export const CAN_BOX =
  spawnSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs none /mnt']).status === 0 &&
  spawnSync('nsenter', ['--version']).status === 0

interface RunOptions {
  readonly cwd?: string
  readonly input?: string
  readonly env?: NodeJS.ProcessEnv
}

const CHUNK = Buffer.alloc(4_096, 'b')

/**
 * The product with its home on a small disk of its own, mounted where nobody else sees it. Its commands and hooks run inside; the test
 * itself stays outside and looks in through `inside`.
 */
export class BoxedProduct extends Product {
  readonly #box: ChildProcess

  private constructor(box: (home: string) => ChildProcess) {
    super()
    mkdirSync(this.home, { mode: 0o700 })
    this.#box = box(this.home)
  }

  static async with(megabytes: number): Promise<BoxedProduct> {
    const script = `mount -t tmpfs -o size=${megabytes}m,mode=700 none "$0" && echo mounted && exec sleep 3600`
    const product = new BoxedProduct((home) =>
      spawn('unshare', ['-rm', 'sh', '-c', script, home], { stdio: ['ignore', 'pipe', 'inherit'] }),
    )
    if (product.#box.stdout !== null) await once(product.#box.stdout, 'data')
    return product
  }

  /** A path of the home as it is seen from outside of the box. */
  inside(path: string): string {
    return `/proc/${this.#box.pid}/root${path}`
  }

  override run(command: string, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
    const { pid } = this.#box
    if (pid === undefined) throw new Error('the box is not there')
    // Entering a mount namespace forgets the working folder. Without the one that was asked for, nothing may run at all.
    const inFolder = ['sh', '-c', 'cd -- "$0" && exec "$@"', options.cwd ?? this.dir, command, ...args]
    return super.run('nsenter', ['-t', String(pid), '-U', '-m', '--preserve-credentials', '--', ...inFolder], options)
  }

  override daemonPid(): number | undefined {
    return pidIn(this.inside(join(this.home, 'run', 'endpoint.json')))
  }

  get #ballast(): string {
    return this.inside(join(this.home, 'ballast'))
  }

  /** To the last byte. */
  fillDisk(): void {
    try {
      for (;;) writeFileSync(this.#ballast, CHUNK, { flag: 'a' })
    } catch {
      // Full, which is what was wanted.
    }
  }

  freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.inside(this.home))
    return bavail * bsize
  }

  makeRoom(): void {
    rmSync(this.#ballast)
  }

  /** From now on nothing in the home can be written, by root neither. */
  async makeReadOnly(): Promise<void> {
    const ran = await this.run('mount', ['-o', 'remount,ro', this.home])
    if (ran.code !== 0) throw new Error(`remount: ${ran.stderr}`)
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]()
    this.#box.kill('SIGKILL')
  }
}
