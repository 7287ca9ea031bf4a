import { isatty } from 'node:tty'
import type { CliIo } from './shared/command.ts'

function hasColor(env: NodeJS.ProcessEnv, stream: { readonly fd: number }): boolean {
  if (env.NO_COLOR) return false
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0'
  return isatty(stream.fd) && env.TERM !== 'dumb'
}

/**
 * `holdfast … | head` closes the pipe before we are done: that is the reader's good right, and no failure. Output that
 * cannot be written for another reason (a full disk) is told on what is left, without a stack.
 */
function endWhenNotWritten(stream: NodeJS.WriteStream, left?: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    left?.write(`holdfast: What it had to say could not be written: ${error.message}.\n`)
    process.exit(1)
  })
}

function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write('', () => resolve())
  })
}

/** The terminal, or whatever the shell put in its place. */
export function processIo(
  host: Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr' | 'env'>,
): CliIo & { flush(): Promise<void> } {
  const { stdin, stdout, stderr, env } = host
  endWhenNotWritten(stdout, stderr)
  endWhenNotWritten(stderr)
  return {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    stdin,
    isInteractive: isatty(stdin.fd) && isatty(stdout.fd) && !env.CI,
    hasColor: hasColor(env, stdout),
    flush: async () => {
      await Promise.all([written(stdout), written(stderr)])
    },
  }
}
