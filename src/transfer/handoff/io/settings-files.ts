/** Folders whose files an agent, an editor, git, a build service or a package manager runs or reads as its settings, at any depth. */
const FOLDERS: ReadonlySet<string> = new Set([
  ...['.agentic-governance', '.agents', '.aider', '.amazonq', '.augment', '.claude', '.claude-plugin', '.cline'],
  ...['.clinerules', '.codex', '.continue', '.cursor', '.gemini', '.junie', '.kiro', '.openclaw', '.opencode', '.qwen'],
  ...['.roo', '.trae', '.windsurf', '.zed'],
  ...['.buildkite', '.bundle', '.cargo', '.circleci', '.config', '.devcontainer', '.fleet', '.gitea', '.forgejo'],
  ...['.github', '.githooks', '.gitlab', '.husky', '.idea', '.mise', '.mvn', '.run', '.storybook', '.tekton', '.vim'],
  ...['.vs', '.vscode', '.yarn', 'node_modules', 'site-packages', 'xcshareddata'],
])

/** File names, at any depth. */
const FILES: ReadonlySet<string> = new Set([
  // Instructions and servers of agents.
  ...['.mcp.json', 'mcp.json', 'agents.md', 'agents.override.md', 'claude.md', 'claude.local.md', 'gemini.md'],
  ...['.cursorrules', '.windsurfrules', '.clinerules', '.roorules', '.aider.conf.yml', '.goosehints', 'opencode.json'],
  ...['opencode.jsonc', 'skill.md'],
  // Run when a folder is entered or opened.
  ...['.env', '.mise.toml', 'mise.toml', '.tool-versions', '.devcontainer.json', '.nvim.lua', '.profile', '.zshenv'],
  ...['.bash_profile', '.autoenv.zsh', '.dir-locals.el', '.dir-locals-2.el', 'flake.nix', 'shell.nix', 'default.nix'],
  ...['devbox.json', 'autorun.inf', 'desktop.ini'],
  // Git's own, and what runs at a commit.
  ...['.gitattributes', '.gitmodules', '.gitconfig', '.lfsconfig', '.pre-commit-config.yaml', 'lefthook.yml'],
  ...['lefthook.yaml', '.lefthook.yml', 'lefthook.toml', 'lefthook.json', '.overcommit.yml'],
  // JavaScript.
  ...[
    'package.json',
    '.pnpmfile.cjs',
    '.pnpmfile.mjs',
    'pnpm-workspace.yaml',
    'bunfig.toml',
    '.pnp.cjs',
    '.pnp.loader.mjs',
  ],
  ...['deno.json', 'deno.jsonc', 'lerna.json', 'nx.json', 'turbo.json', 'project.json', 'angular.json', 'binding.gyp'],
  ...['nodemon.json', 'wallaby.js'],
  // Python.
  ...['pyproject.toml', 'setup.py', 'setup.cfg', 'conftest.py', 'sitecustomize.py', 'usercustomize.py', 'pip.conf'],
  ...[
    'pip.ini',
    '.pypirc',
    'tox.ini',
    'noxfile.py',
    'pytest.ini',
    'hatch_build.py',
    'dodo.py',
    'fabfile.py',
    'wscript',
  ],
  // Rust, Ruby, PHP, Swift, Elixir, Haskell, Zig.
  ...['build.rs', 'cargo.toml', 'gemfile', 'rakefile', 'guardfile', 'vagrantfile', 'podfile', 'fastfile', 'brewfile'],
  ...[
    'capfile',
    'dangerfile',
    '.rspec',
    '.simplecov',
    'composer.json',
    '.php-cs-fixer.php',
    'package.swift',
    'mix.exs',
  ],
  ...['setup.hs', 'build.zig'],
  // Java, .NET, C and C++.
  ...[
    'gradle.properties',
    'gradlew',
    'gradlew.bat',
    'gradle-wrapper.jar',
    'gradle-wrapper.properties',
    'mvnw',
    'mvnw.cmd',
  ],
  ...['pom.xml', 'build.xml', 'nuget.config', 'global.json', 'cmakelists.txt', 'cmakepresets.json', 'meson.build'],
  ...['configure', 'configure.ac', 'sconstruct', 'sconscript'],
  // Build and task runners.
  ...[
    'makefile',
    'gnumakefile',
    'bsdmakefile',
    'justfile',
    '.justfile',
    'taskfile',
    'procfile',
    'tiltfile',
    'earthfile',
  ],
  ...['build', 'build.bazel', 'workspace', 'workspace.bazel', 'module.bazel', '.buckconfig', 'buck', 'tasks.json'],
  ...['dockerfile', 'containerfile'],
  // Build services.
  ...['.gitlab-ci.yml', '.travis.yml', 'azure-pipelines.yml', 'bitbucket-pipelines.yml', 'appveyor.yml', '.drone.yml'],
  ...['.woodpecker.yml', '.cirrus.yml', 'cloudbuild.yaml', 'buildspec.yml', 'jenkinsfile', 'action.yml', 'action.yaml'],
])

/** Patterns of file names. */
const PATTERNS: readonly RegExp[] = [
  // Configuration of linters, bundlers and test runners that is a program or names plugins.
  /\.conf(?:ig)?\.(?:[cm]?[jt]s|json)$/,
  /^(?:gulp|grunt|jake|knex)file(?:\.babel|\.esm)?\.[cm]?[jt]s$/,
  // `.npmrc`, `.bashrc`, `.envrc`, `.eslintrc.json`.
  /^\.[\w-]+rc(?:\.\w+)*$/,
  /^\.env\.\w+/,
  /\.(?:mk|mak|just|gradle|gradle\.kts|sbt|cmake|bzl|gemspec|cabal|pth|code-workspace|pbxproj|xcscheme)$/,
  /\.(?:cs|fs|vb|vcx)proj(?:\.user)?$|\.(?:props|targets|sln|slnx)$/,
  /^(?:docker-)?compose(?:[.-].+)?\.ya?ml$|^(?:docker|container)file(?:\..+|-[\w-]+)$|\.(?:docker|container)file$/,
  /^taskfile(?:\.dist)?\.ya?ml$/,
  // They determine which code a package manager fetches and runs.
  /^(?:package-lock|npm-shrinkwrap)\.json$|^pnpm-lock\.ya?ml$|^bun\.lockb?$|^pipfile$|^deno\.lock$/,
  /^(?:yarn|gemfile|poetry|uv|pdm|cargo|composer|pipfile|flake|mix)\.lock$|^requirements.*\.(?:txt|in)$/,
]

/** A short name of Windows: it may stand for any of these. */
const SHORT_NAME = /^[^.]{1,6}~\d+(?:\.|$)/

/**
 * One spelling for all names that macOS and Windows treat as equal: they ignore case, compare by compatible characters
 * (a long s is an s), and drop invisible characters, trailing dots and spaces, and stream names.
 */
function foldName(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/:.*$/s, '')
    .replace(/[. ]+$/, '')
}

/** Whether a tool runs this file, or reads it as its settings, by its default name. */
export function isSettingsFile(path: string): boolean {
  const parts = path.split('/').map(foldName)
  const name = parts.at(-1) ?? ''
  if (FILES.has(name) || PATTERNS.some((pattern) => pattern.test(name))) return true
  return parts.slice(0, -1).some((folder) => FOLDERS.has(folder)) || parts.some((part) => SHORT_NAME.test(part))
}
