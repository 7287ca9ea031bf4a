import { type SpawnOptions, spawn } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

const source = join(import.meta.dirname, '..', '..', 'src', 'hook')

/** Stands in for the daemon's bundle: leaves a mark that it was started, and goes. */
const FAKE_DAEMON = "require('fs').writeFileSync(process.env.HOLDFAST_HOME + '/daemon-started', '')\n"

/** The hook's programs as a build lays them out, in `folder`. */
export async function buildHookPrograms(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  await build({
    entryPoints: {
      hook: join(source, 'main.ts'),
      'hook-fallback': join(source, 'fallback.ts'),
      'stand-in': join(source, 'stand-in.ts'),
    },
    outdir: folder,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20.19',
    define: { 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' },
  })
  for (const name of ['launcher.sh', 'launcher-fallback.sh']) copyFileSync(join(source, name), join(folder, name))
  chmodSync(join(folder, 'launcher.sh'), 0o755)
  writeFileSync(join(folder, 'daemon.js'), FAKE_DAEMON)
}

export const RUNNERS = ['node', 'bash', 'dash'] as const
export type Runner = (typeof RUNNERS)[number]

const SHELLS: Readonly<Record<Exclude<Runner, 'node'>, string>> = { bash: '/bin/bash', dash: '/bin/dash' }

export function isRunnable(runner: Runner): boolean {
  return runner === 'node' || existsSync(SHELLS[runner])
}

export function commandOf(runner: Runner, folder: string): readonly string[] {
  return runner === 'node'
    ? [process.execPath, join(folder, 'hook.cjs')]
    : [SHELLS[runner], join(folder, 'launcher.sh')]
}

export interface Ran {
  readonly exit: number | string | null
  readonly stdout: string
  readonly stderr: string
}

/** Generous: only a hang is as long. */
const HARD_STOP_MS = 25_000

/** Runs a command to its end. `input` undefined: its stdin is never closed, after `beginning` was written to it. */
export function run(
  command: readonly string[],
  options: SpawnOptions & { readonly input?: string | Buffer; readonly beginning?: string },
): Promise<Ran> {
  const { input, beginning, ...spawnOptions } = options
  const [file = '', ...args] = command
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio: 'pipe', ...spawnOptions })
    let stdout = ''
    let stderr = ''
    const timer = setTimeout(() => child.kill('SIGKILL'), HARD_STOP_MS)
    child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString('utf8')))
    child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')))
    child.on('error', reject)
    // A hook may leave before it has read everything.
    child.stdin?.on('error', () => undefined)
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      child.stdin?.destroy()
      resolve({ exit: code ?? signal, stdout, stderr })
    })
    if (input !== undefined) child.stdin?.end(input)
    else if (beginning !== undefined) child.stdin?.write(beginning)
  })
}
