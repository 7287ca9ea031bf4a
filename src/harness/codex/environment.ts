import type { HarnessEnvironment } from '../contract/environment.ts'

/** Codex (0.166) starts its servers with an environment of its own: which session it is comes with each call, as `_meta.threadId`. */
export const codexEnvironment: HarnessEnvironment = { harness: 'codex', sessionKey: [], directory: [] }
