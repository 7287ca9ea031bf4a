import type { HarnessEnvironment } from '../contract/environment.ts'

/** OpenCode (1.18) gives what it starts no word of its session. */
export const openCodeEnvironment: HarnessEnvironment = { harness: 'opencode', sessionKey: [], directory: [] }
