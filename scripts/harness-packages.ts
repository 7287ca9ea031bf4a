import { join } from 'node:path'
import { CODEX_HOOKS } from '../src/harness/codex/setup.ts'
import type { CommandHook } from '../src/install/edits/launcher-hooks.ts'
import { commandText } from '../src/harness/gemini-cli/setup.ts'
import { GEMINI_HOOKS, HOOK_NAME } from '../src/harness/gemini-cli/setup.ts'
import type { JsonObject } from '../src/kernel/json-shape.ts'
import { MCP_SERVER } from '../src/install/edits/mcp-server.ts'
import { shippedFiles } from '../src/install/edits/own-file.ts'
import { readSkills } from '../src/install/edits/own-file.ts'

type Files = Readonly<Record<string, string>>

const DESCRIPTION =
  "Keeps an agent's place across compaction, crashes and sessions. Needs the program holdfast on the PATH"
const SERVER = { [MCP_SERVER]: { command: 'holdfast', args: ['mcp'] } }

/** As the formatter would have it: one word alone needs no lines of its own. */
const json = (value: unknown): string =>
  `${JSON.stringify(value, undefined, 2).replaceAll(/\[\s+("[^"]*")\s+\]/g, '[$1]')}\n`

interface PackageHooks {
  readonly harness: string
  readonly hooks: readonly CommandHook[]
  /** Where `holdfast init` writes the same hooks, as a shell would name the files. */
  readonly settings: readonly string[]
  readonly extra?: JsonObject
}

/**
 * By the program that is on the path: a package of a harness is copied to where it cannot know more. Where settings hold
 * our hooks already, the package's stand back: the harness would run both.
 */
function hooksFile({ harness, hooks, settings, extra = {} }: PackageHooks): string {
  const isConnected = `grep -qs "launcher[.]sh'\\{0,1\\} ${harness} " ${settings.map((file) => `"${file}"`).join(' ')}`
  const groups = hooks.map(({ hook, timeout, matcher }) => {
    const command = `${isConnected} || HOLDFAST_PID=$PPID holdfast hook ${harness} ${hook} 2>/dev/null || :`
    const entry = { type: 'command', ...extra, command, timeout }
    return [hook, [{ ...(matcher === undefined ? {} : { matcher }), hooks: [entry] }]]
  })
  return json({ hooks: Object.fromEntries(groups) })
}

function under(folder: string, files: Files): Files {
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text]))
}

function codexPlugin(version: string, skills: Files): Files {
  const source = { source: 'local', path: './holdfast' }
  const policy = { installation: 'AVAILABLE', authentication: 'ON_INSTALL' }
  return {
    '.agents/plugins/marketplace.json': json({
      name: 'holdfast',
      interface: { displayName: 'Holdfast' },
      plugins: [{ name: 'holdfast', source, policy, category: 'Productivity' }],
    }),
    'holdfast/.codex-plugin/plugin.json': json({
      name: 'holdfast',
      version,
      description: DESCRIPTION,
      license: 'MIT',
      skills: './skills/',
      mcpServers: './.mcp.json',
    }),
    'holdfast/.mcp.json': json({ mcpServers: SERVER }),
    'holdfast/hooks/hooks.json': hooksFile({
      harness: 'codex',
      hooks: CODEX_HOOKS,
      settings: ['${CODEX_HOME:-$HOME/.codex}/hooks.json', '.codex/hooks.json'],
    }),
    ...under('holdfast/skills', skills),
  }
}

function geminiExtension(version: string, skills: Files, skillsDir: string): Files {
  const snippet = shippedFiles(skillsDir).find(({ name }) => name === 'snippet.md')?.content ?? ''
  const commands = readSkills({ skillsDir }).map((skill) => [`${skill.name}.toml`, commandText(skill)])
  return {
    'gemini-extension.json': json({
      name: 'holdfast',
      version,
      description: DESCRIPTION,
      contextFileName: 'GEMINI.md',
      mcpServers: SERVER,
    }),
    'GEMINI.md': `${snippet.trim()}\n`,
    'hooks/hooks.json': hooksFile({
      harness: 'gemini-cli',
      hooks: GEMINI_HOOKS,
      settings: ['${GEMINI_CLI_HOME:-$HOME}/.gemini/settings.json', '$GEMINI_PROJECT_DIR/.gemini/settings.json'],
      extra: { name: HOOK_NAME },
    }),
    ...under('skills', skills),
    ...under('commands/holdfast', Object.fromEntries(commands)),
  }
}

/** What Codex and Gemini CLI install by themselves, by path from the root: the same that `holdfast init` writes for them. */
export function harnessPackages(root: string, version: string): Files {
  const skillsDir = join(root, 'skills')
  const shipped = shippedFiles(skillsDir).filter(({ name }) => name.includes('/'))
  const skills = Object.fromEntries(shipped.map(({ name, content }) => [name, content]))
  return {
    ...under('plugins/codex', codexPlugin(version, skills)),
    ...under('plugins/gemini-cli', geminiExtension(version, skills, skillsDir)),
  }
}
