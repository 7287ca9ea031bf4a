export interface Layer {
  /** Folders of src/, or files in them, that may be imported besides the layer itself. */
  readonly imports: readonly string[]
  /** Third-party packages; `node:` stands for Node's own modules. */
  readonly libraries: readonly string[]
}

/** The architecture: who may know whom. The table in ARCHITECTURE.md is the same one, and a test holds them together. */
export const layers: Readonly<Record<string, Layer>> = {
  core: { imports: [], libraries: [] },
  protocol: { imports: ['core'], libraries: ['zod'] },
  platform: { imports: ['core', 'protocol'], libraries: ['node:', 'zod'] },
  storage: {
    imports: ['core', 'platform/durable-folder'],
    libraries: ['node:', 'kysely', 'pg', '@photostructure/sqlite'],
  },
  harness: { imports: ['core', 'protocol', 'platform'], libraries: ['node:', 'zod', 'jsonc-parser', 'smol-toml'] },
  transcript: { imports: ['core', 'platform', 'harness'], libraries: ['node:', 'zod'] },
  checklist: { imports: ['core', 'platform'], libraries: ['node:', 'zod', 'markdown-it'] },
  codemap: { imports: ['core', 'platform'], libraries: ['node:', 'zod', 'web-tree-sitter'] },
  'named-checkpoint': { imports: ['core', 'platform'], libraries: ['node:'] },
  outbox: { imports: ['core', 'protocol', 'platform'], libraries: ['node:', 'zod'] },
  supervisor: { imports: ['core', 'protocol', 'platform', 'task', 'outbox'], libraries: ['node:', 'zod'] },
  task: { imports: ['core', 'protocol', 'platform'], libraries: ['node:', 'zod'] },
  handoff: { imports: ['core', 'protocol', 'platform', 'task/patch-bundle'], libraries: ['node:', 'zod'] },
  import: {
    imports: ['core', 'harness', 'transcript', 'storage/sqlite/driver'],
    libraries: ['node:'],
  },
  client: { imports: ['core', 'protocol', 'platform'], libraries: ['node:', 'zod'] },
  mcp: {
    imports: ['core', 'protocol', 'platform', 'client', 'harness/environment', 'harness/environments'],
    libraries: ['node:', 'zod', '@modelcontextprotocol/server'],
  },
  daemon: {
    imports: [
      'core',
      'protocol',
      'platform',
      'storage',
      'harness',
      'transcript',
      'checklist',
      'named-checkpoint',
      'codemap',
      'mcp',
      'outbox',
      'task',
      'client/spool',
      'client/spool-entry',
      'client/spool-name',
    ],
    libraries: ['node:', 'zod', 'hono', '@hono/node-server'],
  },
  cli: {
    imports: [
      'core',
      'protocol',
      'platform',
      'harness',
      'transcript',
      'client',
      'checklist',
      'named-checkpoint',
      'codemap',
      'task',
      'outbox',
      'supervisor',
      'import',
      'handoff',
    ],
    libraries: ['node:', 'commander', 'picocolors'],
  },
  hook: { imports: ['core', 'protocol/headers', 'platform', 'client'], libraries: ['node:'] },
  plugin: {
    imports: ['protocol/headers', 'platform/home', 'client/http', 'client/socket-trust', 'harness/json-shape'],
    libraries: ['node:'],
  },
}

export const MAX_LINES = 400
export const MAX_IMPORTS = 15

/** Files over a limit, each with the reason why splitting it would make it worse. */
export const sizeExceptions: Readonly<Record<string, string>> = {
  'src/cli/commands/look/status.ts': 'One page of everything that status looks at; each part is a file of its own.',
  'src/named-checkpoint/named-checkpoints.ts':
    'All use cases of named checkpoints meet their rules, files and store here.',
  'src/daemon/main.ts': 'Starts the process: what has to be there first is brought together here.',
  'src/api/route-table.ts': 'One table of every route: the routes, the OpenAPI document and the attack test read it.',
}

/** The world outside (environment, clock, console) is read here and passed on. */
export const ambientAllowed: readonly string[] = [
  'src/platform/',
  'src/cli/',
  'src/hook/main.ts',
  'src/hook/stand-in.ts',
  'src/daemon/main.ts',
  'src/mcp/pipe/pipe.ts',
  'src/plugin/',
]

/** Who starts processes, and which: by an absolute path, or by what a person configured or typed. */
export const processStarters: Readonly<Record<string, string>> = {
  'src/platform/git/git-command.ts': 'git, and nobody else starts it',
  'src/platform/process/processes.ts': 'ps',
  'src/platform/process/ancestor.ts': 'ps',
  'src/platform/process/run-program.ts': 'verifications and smoke commands of a person',
  'src/tasks/supervisor/process/process-table.ts': 'ps',
  'src/tasks/supervisor/process/run-command.ts': 'the agent that `holdfast run` was given',
  'src/tasks/supervisor/process/guard.ts': 'this Node, for the guardian',
  'src/tasks/context-safety/io/external-probe.ts': 'the probe of the user configuration',
  'src/install/run-probe.ts': 'the hook command as it is installed, for `doctor`',
  'src/harness/codex/trust.ts': 'codex, for `doctor`',
  'src/daemon/housekeeping/index-refresh.ts': 'this Node, for `holdfast index`',
  'src/client/daemon-start.ts': 'this Node, for the daemon',
  'src/hook/fallback.ts': 'this Node, for the stand-in of a late daemon',
  'src/harness/plugin/surroundings.ts': 'the Node of the installation, for the hook client',
  'src/harness/plugin/report.ts': 'the Node of the installation, for the hook client',
  'src/cli/demo/processes.ts': 'this Node and the installed hook, in the demo',
  'src/cli/demo/scene.ts': 'this Node, in the demo',
  'src/cli/commands/tools/mcp.ts': 'this Node, for the pipe',
  'src/cli/commands/tools/daemon-run.ts': 'this Node, for the daemon',
}

export const GIT_STARTER = 'src/platform/git/git-command.ts'
