import type { ClaudeWorld } from './claude-world.ts'
import type { Step } from './model-script.ts'
import { callTool, say } from './model-script.ts'

/** Names no file and no error: whatever a recovery says of those was seen, not asked. */
export const GOAL = 'Make the parser keep blank lines as paragraph separators.'
export const EDITED_FILE = 'src/paragraphs.js'
export const FAILURE = 'AssertionError: expected 2 paragraphs to be 3'
export const LAST_WORDS = 'The last blank line is still dropped, so the check fails.'

/** Shaped like a GitHub token, put together here so that no scanner takes this file for a leak. */
export const SECRET = ['ghp', 'R7mQ2xVb9LkT4wZc8NpY3sHd6JfG1aE5uXo0'].join('_')

/** One of each: a file written, read and edited, a command that works and prints a secret, one that fails. */
export function parserWork(world: ClaudeWorld): readonly Step[] {
  const file = world.inProject(EDITED_FILE)
  return [
    callTool('Write', { file_path: file, content: 'export const split = (text) => text.split("\\n")\n' }),
    callTool('Read', { file_path: file }),
    callTool('Edit', { file_path: file, old_string: 'text.split("\\n")', new_string: 'text.split(/\\n{2,}/)' }),
    callTool('Bash', { command: `echo "token: ${SECRET}"`, description: 'Show the token' }),
    callTool('Bash', { command: `echo "${FAILURE}" >&2; exit 3`, description: 'Run the check' }),
    say(LAST_WORDS),
  ]
}

/** A turn that stays in the middle of its second tool, its first one done, until somebody ends it. */
export function endlessWork(world: ClaudeWorld, pidFile: string): readonly Step[] {
  return [
    callTool('Write', { file_path: world.inProject(EDITED_FILE), content: 'export const split = undefined\n' }),
    callTool('Bash', { command: `echo $$ > ${pidFile}; sleep 300` }),
  ]
}
