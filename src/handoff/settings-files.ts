/** Folders whose files an agent, an editor, git or a build service runs or reads as its settings, at any depth. */
const FOLDERS: ReadonlySet<string> = new Set([
  ...['.agentic-governance', '.agents', '.aider', '.amazonq', '.augment', '.claude', '.claude-plugin', '.cline'],
  ...['.clinerules', '.codex', '.continue', '.cursor', '.gemini', '.junie', '.kiro', '.openclaw', '.opencode', '.qwen'],
  ...['.roo', '.trae', '.windsurf', '.zed'],
  ...['.cargo', '.circleci', '.devcontainer', '.fleet', '.github', '.githooks', '.gitlab', '.husky', '.idea', '.mvn'],
  ...['.run', '.vim', '.vs', '.vscode', '.yarn'],
])

/** Files of these names, at any depth. */
const FILES: ReadonlySet<string> = new Set([
  // Instructions and servers of agents.
  ...['.mcp.json', 'mcp.json', 'agents.md', 'agents.override.md', 'claude.md', 'claude.local.md', 'gemini.md'],
  ...['.cursorrules', '.windsurfrules', '.clinerules', '.roorules', '.aider.conf.yml', '.goosehints', 'opencode.json'],
  ...['opencode.jsonc', 'skill.md'],
  // Run when a folder is entered or opened.
  ...['.envrc', '.mise.toml', 'mise.toml', '.tool-versions', '.devcontainer.json', '.exrc', '.nvimrc', '.nvim.lua'],
  ...['.bashrc', '.profile', '.zshenv', '.zshrc', '.autoenv.zsh', '.dir-locals.el'],
  // Git's own.
  ...['.gitattributes', '.gitmodules', '.gitconfig', '.lfsconfig', '.pre-commit-config.yaml', 'lefthook.yml'],
  ...['lefthook.yaml', '.lefthook.yml', '.lintstagedrc', '.lintstagedrc.json', '.huskyrc', '.overcommit.yml'],
  // Read, and in part run, by package managers and builds before anything is started on purpose.
  ...['package.json', '.npmrc', '.yarnrc', '.yarnrc.yml', '.pnpmfile.cjs', 'pnpm-workspace.yaml', 'bunfig.toml'],
  ...['.pnp.cjs', 'deno.json', 'deno.jsonc', 'build.rs', 'setup.py', 'conftest.py', 'sitecustomize.py', 'pip.conf'],
  ...['.pypirc', 'gradle.properties', 'settings.gradle', 'settings.gradle.kts', '.gitlab-ci.yml', '.travis.yml'],
  ...['azure-pipelines.yml', 'jenkinsfile', '.bazelrc', '.buckconfig', '.terraformrc'],
])

/** Whether a tool runs this file, or reads it as its settings, without anybody starting it by name. */
export function isSettingsFile(path: string): boolean {
  const parts = path.toLowerCase().split('/')
  const name = parts.at(-1) ?? ''
  return FILES.has(name) || parts.slice(0, -1).some((folder) => FOLDERS.has(folder)) || name.endsWith('.code-workspace')
}
