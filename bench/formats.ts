/** The evaluation set's names for formats, and ours for the harnesses that write them. */
export const HARNESS_OF: Readonly<Record<string, string>> = {
  claude: 'claude-code',
  codex: 'codex',
  opencode: 'opencode',
  gemini: 'gemini-cli',
  copilot: 'copilot',
}
