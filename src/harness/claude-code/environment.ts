import type { HarnessEnvironment } from '../contract/environment.ts'

/** What Claude Code (2.1) gives to the servers and commands that it starts. */
export const claudeCodeEnvironment: HarnessEnvironment = {
  harness: 'claude-code',
  sessionKey: ['CLAUDE_CODE_SESSION_ID'],
  directory: ['CLAUDE_PROJECT_DIR'],
}
