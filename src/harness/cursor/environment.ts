import type { HarnessEnvironment } from '../contract/environment.ts'

/** Cursor gives hooks and servers the project, and no session. */
export const cursorEnvironment: HarnessEnvironment = {
  harness: 'cursor',
  sessionKey: [],
  directory: ['CURSOR_PROJECT_DIR'],
}
