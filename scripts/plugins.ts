import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hookEntries, hookGroups } from '../src/harness/claude-code/hook-entries.ts'
import { MCP_SERVER } from '../src/harness/pieces/mcp-server.ts'
import { shippedFiles } from '../src/harness/pieces/own-file.ts'

const DESCRIPTION = "Keeps an agent's place across compaction, crashes and sessions."
const OWNER = { name: 'Holdfast contributors' }
const FOLDER = 'plugins/claude-code'

const README = `# Holdfast for Claude Code

Keeps an agent's place across compaction, crashes, days and tools. Hooks tell the Holdfast daemon on this machine what happens in a session; a new, resumed or compacted session is told where the work stands. The MCP tools give the agent briefings, digests, memories, named checkpoints and the project's checklist; the skills say when to use them.

The program itself comes by \`npm install -g holdfast\` and has to be on the PATH. Everything stays on this machine: the daemon listens on loopback only, and secrets are removed before anything is written.

\`holdfast init --harness claude-code\` does the same without a plugin, and its hooks are faster: they need not start Node. Have one of the two; with both, each event still counts once.
`

const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`

/** The plugin for Claude Code and the marketplace that offers it, by path from the root. */
export function pluginPages(root: string, version: string): Readonly<Record<string, string>> {
  const command = (hook: string) => `HOLDFAST_PID=$CLAUDE_PID holdfast hook claude-code ${hook} 2>/dev/null || :`
  const hooks = Object.fromEntries([...hookGroups(hookEntries({ command }))].map(([hook, group]) => [hook, [group]]))
  const server = { type: 'stdio', command: 'holdfast', args: ['mcp'], alwaysLoad: true }
  const skills = shippedFiles(join(root, 'skills')).filter(({ name }) => name.includes('/'))
  return {
    '.claude-plugin/marketplace.json': json({
      name: 'holdfast',
      owner: OWNER,
      metadata: { description: DESCRIPTION, version },
      plugins: [{ name: 'holdfast', version, description: DESCRIPTION, source: `./${FOLDER}` }],
    }),
    [`${FOLDER}/.claude-plugin/plugin.json`]: json({
      name: 'holdfast',
      version,
      description: DESCRIPTION,
      author: OWNER,
      license: 'MIT',
      keywords: ['memory', 'continuity'],
    }),
    [`${FOLDER}/hooks/hooks.json`]: json({ description: DESCRIPTION, hooks }),
    [`${FOLDER}/.mcp.json`]: json({ mcpServers: { [MCP_SERVER]: server } }),
    [`${FOLDER}/README.md`]: README,
    [`${FOLDER}/LICENSE`]: readFileSync(join(root, 'LICENSE'), 'utf8'),
    ...Object.fromEntries(skills.map(({ name, content }) => [`${FOLDER}/skills/${name}`, content])),
  }
}
