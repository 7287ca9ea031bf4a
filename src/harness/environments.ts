import { claudeCodeEnvironment } from './claude-code/environment.ts'
import type { HarnessEnvironment } from './environment.ts'

/** Every connector's declaration, apart from the connectors: who reads it must not wait for their schemas. */
export const harnessEnvironments: readonly HarnessEnvironment[] = [claudeCodeEnvironment]
