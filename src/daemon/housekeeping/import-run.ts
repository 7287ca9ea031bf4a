import { spawn } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import type * as z from 'zod'
import { isObject } from '../../kernel/json-shape.ts'
import type { Log } from '../../kernel/ports/ports.ts'
import { parseJson } from '../../platform/base/json.ts'
import type { ImportProgressReply } from '../../wire/daemon.ts'

type ImportProgress = z.output<typeof ImportProgressReply>

export interface ImportRun {
  read(): ImportProgress
  /** Starts an import unless one runs. */
  start(): ImportProgress
  /** Ends a running import; a later one continues where it stopped. */
  stop(): void
}

const MAX_OUTPUT_CHARS = 64_000_000
const PROGRESS = /^progress (\d+)\/(\d+)$/

function readResult(stdout: string): Pick<ImportProgress, 'imported' | 'events' | 'problem'> {
  try {
    const report: unknown = parseJson(stdout)
    if (!isObject(report)) return { problem: 'The import printed no report.' }
    const { imported, events, failed } = report
    return {
      ...(typeof imported === 'number' && { imported }),
      ...(typeof events === 'number' && { events }),
      ...(Array.isArray(failed) && failed.length > 0 && { problem: `${failed.length} files could not be read.` }),
    }
  } catch {
    // It was ended before it printed its report.
    return { problem: 'The import did not finish. Start it again: it continues where it stopped.' }
  }
}

/** Runs `holdfast import` as a process: reading transcripts would block the thread that answers hooks. */
export function createImportRun({ program, log }: { readonly program: string; readonly log: Log }): ImportRun {
  let progress: ImportProgress = { state: 'none', done: 0, total: 0 }
  let stop: () => void = () => undefined

  function readLine(line: string): void {
    const [, done, total] = PROGRESS.exec(line) ?? []
    if (done !== undefined) progress = { ...progress, done: Number(done), total: Number(total) }
  }

  function start(): void {
    progress = { state: 'running', done: 0, total: 0 }
    const child = spawn(process.execPath, [program, 'import', '--json', '--progress'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    })
    stop = () => child.kill()
    try {
      if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW)
    } catch {
      // It has ended already.
    }
    let stdout = ''
    let rest = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (stdout.length < MAX_OUTPUT_CHARS) stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      const lines = `${rest}${text}`.split('\n')
      rest = lines.pop()?.slice(-1_000) ?? ''
      for (const line of lines) readLine(line)
    })
    child.on('error', (error) => {
      progress = { ...progress, state: 'failed', problem: error.message }
    })
    child.on('close', (code) => {
      const result = readResult(stdout)
      progress = { ...progress, state: result.imported === undefined ? 'failed' : 'done', ...result }
      log.info('import finished', { exitStatus: code ?? -1, imported: result.imported ?? 0 })
    })
  }

  return {
    read: () => progress,
    start() {
      if (progress.state !== 'running') start()
      return progress
    },
    stop: () => stop(),
  }
}
