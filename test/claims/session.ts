import { anEvent } from '../support/events.ts'
import type { SessionEvent, ToolOutcome } from '../../src/kernel/event.ts'

/** What is observed of a session, and what is said at its end. */
export interface ClaimCase {
  readonly steps: readonly SessionEvent[]
  readonly says: string
}

/** A shell call that ended; the status is 0 unless given. */
export function run(command: string, output: string, exitStatus = 0, more: Partial<ToolOutcome> = {}): SessionEvent {
  return anEvent('tool-finished', {
    cwd: '/repo',
    tool: { name: 'Bash', kind: 'shell', files: [], command },
    outcome: { ok: exitStatus === 0, ...(exitStatus === 0 ? {} : { exitStatus }), output, ...more },
  })
}

export function edit(path: string): SessionEvent {
  return anEvent('tool-finished', {
    cwd: '/repo',
    tool: { name: 'Edit', kind: 'edit', files: [{ path, action: 'edited' }] },
    outcome: { ok: true },
  })
}

export function create(path: string): SessionEvent {
  return anEvent('tool-finished', {
    cwd: '/repo',
    tool: { name: 'Write', kind: 'edit', files: [{ path, action: 'created' }] },
    outcome: { ok: true },
  })
}

export function says(text: string, ...steps: readonly SessionEvent[]): ClaimCase {
  return { steps, says: text }
}
