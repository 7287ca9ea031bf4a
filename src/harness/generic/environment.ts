import type { HarnessEnvironment } from '../contract/environment.ts'

/** For a harness that we have no code for: it, or whoever connects it, sets these for what it starts. */
export const genericEnvironment: HarnessEnvironment = {
  harness: 'generic',
  sessionKey: ['HOLDFAST_SESSION'],
  directory: ['HOLDFAST_DIRECTORY'],
}
