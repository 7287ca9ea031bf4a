import { MCP_SERVER } from '../../install/edits/mcp-server.ts'
import type { ShippedFile } from '../../install/edits/own-file.ts'
import { CLAUDE_CODE } from './events.ts'
import { hookEntries, hookGroups } from './hook-entries.ts'

const DESCRIPTION = "Keeps an agent's place across compaction, crashes and sessions."

const CONNECTED = [
  '"${CLAUDE_CONFIG_DIR:-$HOME/.claude}/settings.json"',
  '"$CLAUDE_PROJECT_DIR/.claude/settings.json"',
  '"$CLAUDE_PROJECT_DIR/.claude/settings.local.json"',
].join(' ')

/**
 * Runs the program from the PATH: Claude Code copies a plugin away from its package. Where the settings already contain
 * our hooks, the plugin's do nothing: the client would run both.
 */
function command(hook: string): string {
  const isConnected = `grep -qs "launcher[.]sh'\\{0,1\\} ${CLAUDE_CODE} " ${CONNECTED}`
  return `${isConnected} || HOLDFAST_PID=$CLAUDE_PID holdfast hook ${CLAUDE_CODE} ${hook} 2>/dev/null || :`
}

const README = `# Holdfast for Claude Code

Keeps an agent's place across compaction, crashes, days and tools. Hooks report the events of a session to the Holdfast daemon on this machine; a new, resumed or compacted session gets the state of the work injected. The MCP tools give the agent briefings, digests, memories, named checkpoints and the project's checklist; the skills describe when to use them.

\`\`\`sh
npm link    # in a built checkout of Holdfast: it is not in npm's registry yet
claude plugin marketplace add "$(npm root -g)/holdfast"
claude plugin install holdfast@holdfast
\`\`\`

\`holdfast\` has to be on the PATH. Everything stays on this machine: the daemon listens on loopback only, and secrets are removed before anything is written.

\`holdfast init --harness claude-code\` does the same without a plugin, and its hooks are faster because they need not start Node. Use only one of the two: with both, the plugin's hooks are inactive, but every tool appears twice.
`

const WORDS = /\[\s+("[^"]*"(?:,\s+"[^"]*")*)\s+\]/g

/** Formats JSON as this project's formatter does: a list of words stays on one line. */
function json(value: unknown): string {
  const text = JSON.stringify(value, undefined, 2)
  return `${text.replaceAll(WORDS, (_all, words: string) => `[${words.replaceAll(/,\s+/g, ', ')}]`)}\n`
}

export interface PluginParts {
  readonly version: string
  readonly license: string
  readonly skills: readonly ShippedFile[]
}

/** The Claude Code plugin and the marketplace that lists it, by path from the root of the package. */
export function pluginFiles({ version, license, skills }: PluginParts): Readonly<Record<string, string>> {
  const author = { name: 'Holdfast contributors' }
  const about = { name: MCP_SERVER, version, description: DESCRIPTION }
  const at = (path: string) => `plugins/claude-code/${path}`
  return {
    '.claude-plugin/marketplace.json': json({
      name: 'holdfast',
      owner: author,
      metadata: { description: DESCRIPTION, version },
      plugins: [{ ...about, source: './plugins/claude-code' }],
    }),
    [at('.claude-plugin/plugin.json')]: json({ ...about, author, license: 'MIT', keywords: ['memory', 'continuity'] }),
    [at('.mcp.json')]: json({
      // The plugin's skills use all of them.
      mcpServers: {
        [MCP_SERVER]: { type: 'stdio', command: 'holdfast', args: ['mcp'], env: { HOLDFAST_MCP_TOOLS: 'all' } },
      },
    }),
    [at('hooks/hooks.json')]: json({
      description: DESCRIPTION,
      hooks: Object.fromEntries([...hookGroups(hookEntries({ command }))].map(([hook, group]) => [hook, [group]])),
    }),
    [at('README.md')]: README,
    [at('LICENSE')]: license,
    ...Object.fromEntries(
      skills.filter(({ name }) => name.includes('/')).map(({ name, content }) => [at(`skills/${name}`), content]),
    ),
  }
}
