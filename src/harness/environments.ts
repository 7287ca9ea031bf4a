import { claudeCodeEnvironment } from './claude-code/environment.ts'
import { codexEnvironment } from './codex/environment.ts'
import { cursorEnvironment } from './cursor/environment.ts'
import type { HarnessEnvironment } from './contract/environment.ts'
import { geminiCliEnvironment } from './gemini-cli/environment.ts'
import { genericEnvironment } from './generic/environment.ts'
import { openClawEnvironment } from './openclaw/environment.ts'
import { openCodeEnvironment } from './opencode/environment.ts'
import { rooEnvironment } from './roo/environment.ts'
import { windsurfEnvironment } from './windsurf/environment.ts'

/** Every connector's declaration, apart from the connectors: who reads it must not wait for their schemas. */
export const harnessEnvironments: readonly HarnessEnvironment[] = [
  claudeCodeEnvironment,
  codexEnvironment,
  geminiCliEnvironment,
  openCodeEnvironment,
  openClawEnvironment,
  cursorEnvironment,
  windsurfEnvironment,
  rooEnvironment,
  genericEnvironment,
]
