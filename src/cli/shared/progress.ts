import { isatty } from 'node:tty'
import type { CliIo } from './command.ts'
import { harmless, rawOf } from './output.ts'

export interface Progress {
  show(done: number, total: number): void
  /** Takes the bar away. */
  end(): void
}

const WIDTH = 24
const STDERR = 2

/** A bar on stderr while somebody is watching; nothing at all where it would end up in a file. */
export function createProgress(
  io: Pick<CliIo, 'err' | 'raw'>,
  label: string,
  isWatched: boolean = isatty(STDERR),
): Progress {
  let shown = ''
  return {
    show(done, total) {
      if (!isWatched || total === 0) return
      const full = Math.min(WIDTH, Math.round((WIDTH * done) / total))
      const line = `${label} ${'█'.repeat(full)}${'░'.repeat(WIDTH - full)} ${done}/${total}`
      if (line === shown) return
      shown = line
      rawOf(io).err(`\r${harmless(line)}`)
    },
    end() {
      if (shown !== '') rawOf(io).err(`\r${' '.repeat(shown.length)}\r`)
      shown = ''
    },
  }
}
