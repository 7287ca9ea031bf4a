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
 * The program has to be on the PATH: Claude Code copies a plugin away from the package that it came with. Where settings
 * hold our hooks already, the plugin's stand back: the client would run both.
 */
function command(hook: string): string {
  const isConnected = `grep -qs "launcher[.]sh'\\{0,1\\} ${CLAUDE_CODE} " ${CONNECTED}`
  return `${isConnected} || HOLDFAST_PID=$CLAUDE_PID holdfast hook ${CLAUDE_CODE} ${hook} 2>/dev/null || :`
}

const README = `# Holdfast for Claude Code

Keeps an agent's place across compaction, crashes, days and tools. Hooks tell the Holdfast daemon on this machine what happens in a session; a new, resumed or compacted session is told where the work stands. The MCP tools give the agent briefings, digests, memories, named checkpoints and the project's checklist; the skills say when to use them.

\`\`\`sh
npm link    # in a built checkout of Holdfast: it is not in npm's registry yet
claude plugin marketplace add "$(npm root -g)/holdfast"
claude plugin install holdfast@holdfast
\`\`\`

The program has to be on the PATH. Everything stays on this machine: the daemon listens on loopback only, and secrets are removed before anything is written.

\`holdfast init --harness claude-code\` does the same without a plugin, and its hooks are faster: they need not start Node. Have one of the two: with both, the plugin's hooks stand back, but every tool is there twice.
`

const WORDS = /\[\s+("[^"]*"(?:,\s+"[^"]*")*)\s+\]/g

/** As the formatter of this project would have it: words alone need no lines of their own. */
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
      mcpServers: { [MCP_SERVER]: { type: 'stdio', command: 'holdfast', args: ['mcp'], alwaysLoad: true } },
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
