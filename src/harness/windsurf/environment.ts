import type { HarnessEnvironment } from '../contract/environment.ts'

/** Windsurf gives what it starts no word of its session. */
export const windsurfEnvironment: HarnessEnvironment = { harness: 'windsurf', sessionKey: [], directory: [] }
