import { expect } from 'vitest'
import type { ClaudeSetup } from './claude-setup.ts'
import { type Step, callTool, say } from './model-script.ts'
import { type MidTool, toolPidFile, untilToolRuns } from './running-tool.ts'
import { CHECK_FAILURE } from './workspace.ts'

/** Names no file and no error: whatever a recovery says of those was seen, not asked. */
export const GOAL = 'Make the parser keep blank lines as paragraph separators.'
export const EDITED_FILE = 'src/paragraphs.js'
export const FAILURE = CHECK_FAILURE
/** A check that fails with it: more than an `echo`, which nobody takes for an error of the work. */
export const CHECK = 'node check.js'
export const LAST_WORDS = 'The last blank line is still dropped, so the check fails.'

/** Shaped like a GitHub token, put together here so that no scanner takes this file for a leak. */
export const SECRET = ['ghp', 'R7mQ2xVb9LkT4wZc8NpY3sHd6JfG1aE5uXo0'].join('_')

/** One of each: a file written, read and edited, a command that works and prints a secret, one that fails. */
export function parserWork(world: ClaudeSetup): readonly Step[] {
  const file = world.inProject(EDITED_FILE)
  return [
    callTool('Write', { file_path: file, content: 'export const split = (text) => text.split("\\n")\n' }),
    callTool('Read', { file_path: file }),
    callTool('Edit', { file_path: file, old_string: 'text.split("\\n")', new_string: 'text.split(/\\n{2,}/)' }),
    callTool('Bash', { command: `echo "token: ${SECRET}"`, description: 'Show the token' }),
    callTool('Bash', { command: CHECK, description: 'Run the check' }),
    say(LAST_WORDS),
  ]
}

/** A session in the middle of its second tool, its first one done: it stays there until somebody ends it. */
export async function midTool(world: ClaudeSetup): Promise<MidTool> {
  const pidFile = toolPidFile(world.workspace)
  world.model.script.onPrompt(GOAL, [
    callTool('Write', { file_path: world.inProject(EDITED_FILE), content: 'export const split = undefined\n' }),
    callTool('Bash', { command: `echo $$ > ${pidFile}; sleep 300` }),
  ])
  const running = world.claude.start(GOAL)
  const pid = await untilToolRuns(world.workspace)
  // Claude Code's shell is a session of its own and outlives it.
  return { running, endTool: async () => void process.kill(-pid, 'SIGKILL') }
}

const BUDGET_CHARS = 2_000

/** Expects that the newest recovery section is about this work and each section is within its budget. */
export function expectWorkIn(blocks: readonly string[]): void {
  expect(blocks.length).toBeGreaterThan(0)
  for (const block of blocks) expect(block.length).toBeLessThanOrEqual(BUDGET_CHARS)
  const newest = blocks.at(-1)
  expect(newest).toContain('keep blank lines as paragraph separators')
  expect(newest).toContain(EDITED_FILE)
}
