import type { HarnessEnvironment } from '../contract/environment.ts'

/** Roo Code gives what it starts no word of its session. */
export const rooEnvironment: HarnessEnvironment = { harness: 'roo', sessionKey: [], directory: [] }
