import type { HarnessEnvironment } from '../environment.ts'

/** Cursor gives hooks and servers the project, and no session. */
export const cursorEnvironment: HarnessEnvironment = {
  harness: 'cursor',
  sessionKey: [],
  directory: ['CURSOR_PROJECT_DIR'],
}
