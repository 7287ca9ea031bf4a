import { describe, expect, test } from 'vitest'
import { type RunReport, SESSION_SUCCEEDED } from '../../../tasks/supervisor/run-state.ts'
import type { RunProgress } from '../../../tasks/supervisor/run-ports.ts'
import type { CliIo } from '../../shared/command.ts'
import { createRunDisplay, type DisplayOptions, renderReport } from './run-display.ts'

function watchedIo() {
  const said = { out: '', err: '' }
  const io: CliIo = {
    out: (text) => {
      said.out += text
    },
    err: (text) => {
      said.err += text
    },
    stdin: process.stdin,
    isInteractive: false,
    hasColor: false,
  }
  return { io, said }
}

const news: readonly RunProgress[] = [
  { kind: 'line', text: '[p] Session start: session-1 resuming from none' },
  { kind: 'session', sessionId: 'session-1', iteration: 1, attempt: 2 },
  { kind: 'output', stream: 'out', text: 'working\n' },
  { kind: 'output', stream: 'err', text: 'a warning\n' },
  { kind: 'pulse', elapsedMs: 61_000, processes: 3, tokens: 1_200 },
  {
    kind: 'failed',
    failure: { kind: 'transient', reason: 'The network\u001b[2J failed.', signature: 's', failingTests: [] },
    decision: { action: 'retry', waitMs: 4_000 },
  },
  { kind: 'note', text: 'Something to know.' },
]

function shown(options: DisplayOptions) {
  const { io, said } = watchedIo()
  const display = createRunDisplay(io, options)
  for (const one of news) display(one)
  return said
}

describe('a run before a person', () => {
  test('shows what the agent prints where it printed it, and ours on stderr', () => {
    expect(shown({ isSilent: false, isQuiet: false, isTerminal: false })).toEqual({
      out: 'working\n',
      err: [
        '[p] Session start: session-1 resuming from none\n',
        '▶ session session-1, attempt 2\n',
        'a warning\n',
        '✗ transient: The network�[2J failed.\n',
        '  retrying in 4 s\n',
        '  Something to know.\n',
      ].join(''),
    })
  })

  test('shows a pulse in place of the output where that is not wanted, and takes it away again', () => {
    const { out, err } = shown({ isSilent: false, isQuiet: true, isTerminal: true })
    expect(out).toBe('')
    const pulse = '1 min, 3 processes, 1,200 tokens'
    expect(err).toContain(`${pulse}\r${' '.repeat(pulse.length)}\r✗ transient`)
  })

  test('says nothing at all where one JSON document is wanted', () => {
    expect(shown({ isSilent: true, isQuiet: false, isTerminal: true })).toEqual({ out: '', err: '' })
  })

  test('ends with the outcome, the reason and what to read', () => {
    const report: RunReport = {
      run_id: 'run-1',
      task: 'feat-login',
      outcome: 'escalated',
      reason: 'It failed 3 times at this step.',
      position: 'G4-3',
      sessions: [],
      escalation: 'tasks/feat-login/work/escalations/x.md',
      tokens: null,
      duration_ms: 125_000,
    }
    expect(renderReport(report, watchedIo().io)).toBe(
      '✗ feat-login: escalated. It failed 3 times at this step.\n  0 sessions in 2 min, at G4-3\n  Read tasks/feat-login/work/escalations/x.md\n',
    )
  })

  test('does not call a task complete because one session of it succeeded', () => {
    const report: RunReport = {
      run_id: 'run-1',
      task: 'feat-login',
      outcome: 'complete',
      reason: SESSION_SUCCEEDED,
      position: 'G1-0',
      sessions: [],
      escalation: null,
      tokens: null,
      duration_ms: 5_000,
    }
    expect(renderReport(report, watchedIo().io)).toBe(
      '✓ feat-login: the session succeeded. The task is not complete.\n  0 sessions in 5 s, at G1-0\n',
    )
  })
})
