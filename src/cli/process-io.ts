import { isatty } from 'node:tty'
import type { CliIo } from './shared/command.ts'

const MIN_COLUMNS = 40

function hasColor(env: NodeJS.ProcessEnv, stream: { readonly fd: number }): boolean {
  if (env.NO_COLOR) return false
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0'
  return isatty(stream.fd) && env.TERM !== 'dumb'
}

/** A closed pipe (`holdfast … | head`) is not a failure. Another write error (a full disk) is reported on the other stream. */
function exitOnWriteError(stream: NodeJS.WriteStream, isFinishing: () => boolean, other?: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' && isFinishing()) return
    if (error.code === 'EPIPE') process.exit(0)
    other?.write(`holdfast: Output could not be written: ${error.message}.\n`)
    process.exit(1)
  })
}

function waitForDrain(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write('', () => resolve())
  })
}

/** The streams of a process. */
export function processIo(
  host: Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr' | 'env'>,
): CliIo & { flush(): Promise<void> } {
  const { stdin, stdout, stderr, env } = host
  let isFinishing = false
  exitOnWriteError(stdout, () => isFinishing, stderr)
  exitOnWriteError(stderr, () => isFinishing)
  return {
    finishWhenClosed: () => {
      isFinishing = true
    },
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    stdin,
    isInteractive: isatty(stdin.fd) && isatty(stdout.fd) && !env.CI,
    hasColor: hasColor(env, stdout),
    // Narrower text cannot be read, and some terminals report 0.
    ...(isatty(stdout.fd) && { columns: Math.max(MIN_COLUMNS, stdout.columns) }),
    flush: async () => {
      await Promise.all([waitForDrain(stdout), waitForDrain(stderr)])
    },
  }
}
