import type { HarnessEnvironment } from '../contract/environment.ts'

/** OpenClaw (2026.9) gives what it starts no word of its session. */
export const openClawEnvironment: HarnessEnvironment = { harness: 'openclaw', sessionKey: [], directory: [] }
