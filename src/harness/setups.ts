import { HoldfastError } from '../kernel/errors.ts'
import { claudeCodeSetup } from './claude-code/setup.ts'
import { codexSetup } from './codex/setup.ts'
import { cursorSetup } from './cursor/setup.ts'
import { geminiCliSetup } from './gemini-cli/setup.ts'
import { openClawSetup } from './openclaw/setup.ts'
import { openCodeSetup } from './opencode/setup.ts'
import { rooSetup } from './roo/setup.ts'
import { genericSetup } from './generic/setup.ts'
import type { HarnessSetup } from '../install/contract/setup.ts'
import { windsurfSetup } from './windsurf/setup.ts'

export const setups = [
  claudeCodeSetup,
  openCodeSetup,
  openClawSetup,
  codexSetup,
  geminiCliSetup,
  cursorSetup,
  windsurfSetup,
  rooSetup,
  genericSetup,
] as const satisfies readonly HarnessSetup[]

/** Refuses an unknown id, naming the known ones. */
export function getSetup(id: string): HarnessSetup {
  const setup = setups.find((known) => known.id === id)
  if (setup !== undefined) return setup
  throw new HoldfastError('invalid-input', `There is no harness ${JSON.stringify(id.slice(0, 100))} to connect.`, {
    hint: `Known: ${setups.map((known) => known.id).join(', ')}.`,
  })
}
