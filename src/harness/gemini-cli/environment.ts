import type { HarnessEnvironment } from '../contract/environment.ts'

/** What Gemini CLI (0.61) gives to the hooks and commands that it starts. */
export const geminiCliEnvironment: HarnessEnvironment = {
  harness: 'gemini-cli',
  sessionKey: ['GEMINI_SESSION_ID'],
  directory: ['GEMINI_PROJECT_DIR', 'GEMINI_CWD'],
}
