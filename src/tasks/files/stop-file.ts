import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { EmergencyTrigger } from '../rituals.ts'

/** The stop file: while it exists, nothing new starts. */
export const STOP_FILE = '.agentic-governance/STOP'

export const STOP_FILE_TRIGGER: EmergencyTrigger = {
  what: 'stop file detected',
  metric: 'stop_files',
  threshold: 1,
  actual: 1,
}

/** Anything by that name counts, even a dangling link. */
export function isStopped(root: string): boolean {
  try {
    return lstatSync(join(root, STOP_FILE), { throwIfNoEntry: false }) !== undefined
  } catch {
    // The parent is a file or unreadable, so no stop file is visible.
    return false
  }
}
