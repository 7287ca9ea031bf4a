import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { EmergencyTrigger } from '../rituals.ts'

/** S2's kill switch: while it is there, nothing new is begun. */
export const STOP_FILE = '.agentic-governance/STOP'

export const STOP_FILE_TRIGGER: EmergencyTrigger = {
  what: 'stop file detected',
  metric: 'stop_files',
  threshold: 1,
  actual: 1,
}

/** Whatever it is, a link to nothing included: somebody who creates it means it. */
export function isStopped(root: string): boolean {
  try {
    return lstatSync(join(root, STOP_FILE), { throwIfNoEntry: false }) !== undefined
  } catch {
    // A folder on the way that is a file, or may not be read: there is no stop file to be seen.
    return false
  }
}
