import { isatty } from 'node:tty'
import type { CliIo } from './command.ts'
import { sanitize, getRawIo } from './output.ts'

export interface Progress {
  show(done: number, total: number): void
  /** Removes the bar. */
  end(): void
}

const WIDTH = 24
const STDERR = 2

/** A progress bar on stderr if it is a terminal, else nothing. */
export function createProgress(
  io: Pick<CliIo, 'err' | 'raw'>,
  label: string,
  isTerminal: boolean = isatty(STDERR),
): Progress {
  let shown = ''
  return {
    show(done, total) {
      if (!isTerminal || total === 0) return
      const full = Math.min(WIDTH, Math.round((WIDTH * done) / total))
      const line = `${label} ${'█'.repeat(full)}${'░'.repeat(WIDTH - full)} ${done}/${total}`
      if (line === shown) return
      shown = line
      getRawIo(io).err(`\r${sanitize(line)}`)
    },
    end() {
      if (shown !== '') getRawIo(io).err(`\r${' '.repeat(shown.length)}\r`)
      shown = ''
    },
  }
}

/** One line for each step, for the daemon, which shows it in the dashboard. */
export function createLineProgress(io: Pick<CliIo, 'err'>): Progress {
  return {
    show: (done, total) => io.err(`progress ${done}/${total}\n`),
    end: () => undefined,
  }
}

/** A line on stderr that is replaced, if it is a terminal, else nothing. */
export function createCounter(
  io: Pick<CliIo, 'err' | 'raw'>,
  isTerminal: boolean = isatty(STDERR),
): { show(text: string): void; end(): void } {
  let shown = ''
  return {
    show(text) {
      if (!isTerminal || text === shown) return
      getRawIo(io).err(`\r${sanitize(text).padEnd(shown.length)}`)
      shown = text
    },
    end() {
      if (shown !== '') getRawIo(io).err(`\r${' '.repeat(shown.length)}\r`)
      shown = ''
    },
  }
}
