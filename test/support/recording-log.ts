import type { Log } from '../../src/kernel/ports/ports.ts'

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** A log that records its entries. */
export function rememberingLog(): Log & { readonly lines: readonly LogLine[] } {
  const lines: LogLine[] = []
  const write =
    (level: LogLine['level']) =>
    (message: string, fields: Readonly<Record<string, unknown>> = {}) => {
      lines.push({ level, message, fields })
    }
  return { lines, debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
}
