export interface Layer {
  /** Folders of src/, or files in them, that may be imported besides the layer itself. */
  readonly imports: readonly string[]
  /** Third-party packages; `node:` stands for Node's own modules. */
  readonly libraries: readonly string[]
}

/**
 * Who may import whom. A file belongs to the longest entry that its folder begins with; an entry does not include the
 * entries below it. The table in ARCHITECTURE.md is generated from this one.
 */
export const layers: Readonly<Record<string, Layer>> = {
  kernel: { imports: [], libraries: [] },
  redaction: { imports: ['kernel'], libraries: [] },
  project: { imports: ['kernel'], libraries: [] },
  retention: { imports: ['kernel'], libraries: [] },
  capture: { imports: ['kernel', 'redaction'], libraries: [] },
  checkpoint: { imports: ['kernel', 'redaction', 'capture'], libraries: [] },
  recovery: { imports: ['kernel', 'redaction', 'checkpoint'], libraries: [] },
  memory: { imports: ['kernel', 'redaction', 'capture'], libraries: [] },
  outcomes: { imports: ['kernel', 'capture', 'checkpoint', 'recovery'], libraries: [] },
  'agent-api': { imports: ['kernel', 'redaction', 'checkpoint'], libraries: [] },
  'agent-api/checklist': { imports: ['kernel', 'redaction', 'platform/base'], libraries: ['node:', 'markdown-it'] },
  'agent-api/checklist/io': {
    imports: ['kernel', 'platform', 'agent-api', 'agent-api/checklist'],
    libraries: ['node:', 'zod'],
  },
  injection: { imports: ['kernel', 'capture', 'checkpoint', 'recovery', 'memory', 'agent-api'], libraries: [] },
  'named-checkpoint': { imports: ['kernel', 'redaction', 'agent-api'], libraries: [] },
  'named-checkpoint/io': { imports: ['kernel', 'platform', 'named-checkpoint'], libraries: ['node:'] },
  tasks: { imports: ['kernel'], libraries: [] },
  'tasks/files': {
    imports: ['kernel', 'redaction', 'platform', 'capture', 'checkpoint', 'memory', 'tasks'],
    libraries: ['node:', 'zod'],
  },
  'tasks/context-safety/io': { imports: ['kernel', 'platform', 'tasks', 'tasks/files'], libraries: ['node:', 'zod'] },
  'tasks/patch': { imports: ['kernel', 'redaction', 'platform', 'tasks', 'tasks/files'], libraries: ['node:'] },
  'tasks/memory': { imports: ['kernel', 'platform', 'tasks', 'tasks/files'], libraries: ['zod'] },
  'tasks/checkpoints': {
    imports: [
      'kernel',
      'platform/base',
      'tasks',
      'tasks/files',
      'tasks/patch',
      'tasks/memory',
      'tasks/context-safety/io',
    ],
    libraries: [],
  },
  'tasks/sessions': {
    imports: [
      'kernel',
      'platform',
      'tasks',
      'tasks/files',
      'tasks/patch',
      'tasks/memory',
      'tasks/checkpoints',
      'tasks/context-safety/io',
    ],
    libraries: ['zod'],
  },
  'tasks/use-cases': {
    imports: ['kernel', 'platform', 'tasks', 'tasks/files', 'tasks/memory', 'tasks/checkpoints', 'tasks/sessions'],
    libraries: [],
  },
  'tasks/outbox': { imports: ['kernel', 'redaction', 'platform', 'tasks'], libraries: ['node:', 'zod'] },
  'tasks/supervisor': {
    imports: ['kernel', 'platform', 'tasks', 'tasks/files', 'tasks/patch', 'tasks/sessions', 'tasks/use-cases'],
    libraries: ['node:', 'zod'],
  },
  transfer: { imports: ['kernel', 'redaction', 'checkpoint'], libraries: [] },
  'transfer/handoff/io': {
    imports: ['kernel', 'redaction', 'platform', 'wire', 'checkpoint', 'recovery', 'tasks/patch', 'transfer'],
    libraries: ['node:', 'zod'],
  },
  'transfer/import/io': {
    imports: ['kernel', 'redaction', 'platform', 'harness', 'install', 'transfer'],
    libraries: ['node:'],
  },
  app: {
    imports: [
      'kernel',
      'capture',
      'checkpoint',
      'recovery',
      'injection',
      'memory',
      'outcomes',
      'retention',
      'agent-api',
      'named-checkpoint',
      'transfer',
    ],
    libraries: [],
  },
  platform: { imports: ['kernel', 'redaction', 'project'], libraries: ['node:', 'zod'] },
  storage: {
    imports: ['kernel', 'redaction', 'project', 'memory', 'agent-api', 'platform'],
    libraries: ['node:', 'kysely', 'pg', '@photostructure/sqlite'],
  },
  codemap: { imports: ['kernel', 'platform', 'agent-api'], libraries: ['node:', 'zod', 'web-tree-sitter'] },
  install: {
    imports: ['kernel', 'platform', 'wire', 'harness/descriptor'],
    libraries: ['node:', 'zod', 'jsonc-parser', 'smol-toml'],
  },
  harness: {
    imports: [
      'kernel',
      'redaction',
      'platform',
      'install',
      'storage/sqlite/connection/driver',
      'harness/descriptor',
      'harness/plugin',
    ],
    libraries: ['node:', 'zod', 'jsonc-parser', 'smol-toml'],
  },
  'harness/descriptor': { imports: ['kernel'], libraries: ['zod'] },
  'harness/plugin': { imports: ['kernel', 'platform/base', 'client', 'wire/headers'], libraries: ['node:'] },
  wire: { imports: ['kernel'], libraries: ['zod'] },
  api: {
    imports: [
      'kernel',
      'capture',
      'recovery',
      'memory',
      'outcomes',
      'injection',
      'named-checkpoint',
      'tasks',
      'tasks/files',
      'app',
      'wire',
    ],
    libraries: ['zod'],
  },
  spool: { imports: ['kernel', 'platform'], libraries: ['node:'] },
  client: { imports: ['kernel', 'platform', 'capture', 'app', 'wire', 'api'], libraries: ['node:', 'zod'] },
  hook: { imports: ['kernel', 'platform', 'wire/headers', 'client', 'spool'], libraries: ['node:'] },
  mcp: {
    imports: [
      'kernel',
      'redaction',
      'platform',
      'app',
      'named-checkpoint',
      'tasks',
      'client',
      'wire',
      'harness/descriptor',
    ],
    libraries: ['node:', 'zod', '@modelcontextprotocol/server'],
  },
  daemon: {
    imports: [
      'kernel',
      'redaction',
      'project',
      'platform',
      'capture',
      'injection',
      'app',
      'storage',
      'spool',
      'harness',
      'install',
      'codemap',
      'agent-api',
      'agent-api/checklist',
      'agent-api/checklist/io',
      'named-checkpoint',
      'named-checkpoint/io',
      'tasks',
      'tasks/files',
      'tasks/memory',
      'tasks/outbox',
      'tasks/sessions',
      'tasks/use-cases',
      'tasks/context-safety/io',
      'wire',
      'api',
      'mcp',
    ],
    libraries: ['node:', 'zod', 'hono', '@hono/node-server'],
  },
  cli: {
    imports: [
      'kernel',
      'redaction',
      'platform',
      'app',
      'recovery',
      'checkpoint',
      'memory',
      'outcomes',
      'client',
      'spool',
      'wire',
      'api',
      'harness',
      'harness/descriptor',
      'install',
      'codemap',
      'agent-api',
      'agent-api/checklist',
      'agent-api/checklist/io',
      'named-checkpoint',
      'tasks',
      'tasks/files',
      'tasks/patch',
      'tasks/outbox',
      'tasks/sessions',
      'tasks/supervisor',
      'tasks/use-cases',
      'tasks/context-safety/io',
      'transfer',
      'transfer/handoff/io',
      'transfer/import/io',
    ],
    libraries: ['node:', 'commander', 'diff', 'picocolors'],
  },
}

/** Files of a folder, tests beside them not counted. */
export const MAX_FILES_IN_FOLDER = 20
export const MAX_LINES = 400
export const MAX_IMPORTS = 15

/** Files over a limit, each with the reason why splitting it would make it worse. */
export const sizeExceptions: Readonly<Record<string, string>> = {
  'src/harness/registry.ts': 'One import for each harness: the list grows with every harness that is added.',
  'src/cli/commands/connect/handoff.ts': 'One command family: export and import share the bundle.',
  'src/cli/commands/memory/checklist.ts': 'One command family: each command brings its own part of the checklist.',
  'src/daemon/housekeeping/daemon-spool.ts': 'Replays the spool through every part that takes an event.',
  'src/tasks/supervisor/supervise-task.ts': 'Wires the parts of a supervised run.',
  'src/agent-api/summaries/summaries.ts': 'Saving a summary meets intents, liveness, redaction and the claim check.',
  'src/agent-api/checklist/io/project-checklists.ts': 'Brings the file, its evidence and its verification together.',
  'src/app/create-continuity.ts': 'Wires every domain folder into the use cases; each import is one part.',
  'src/cli/commands/inspect/status.ts': 'One page of everything that status looks at; each part is a file of its own.',
  'src/named-checkpoint/named-checkpoints.ts':
    'All use cases of named checkpoints meet their rules, files and store here.',
  'src/daemon/main.ts': 'Starts the process: what has to be there first is brought together here.',
}

/** The setup outside (environment, clock, console) is read here and passed on. */
export const ambientAllowed: readonly string[] = [
  'src/platform/',
  'src/cli/',
  'src/hook/main.ts',
  'src/hook/stand-in.ts',
  'src/daemon/main.ts',
  'src/mcp/pipe/pipe.ts',
  'src/harness/plugin/',
  'src/harness/opencode/plugin/',
  'src/harness/openclaw/plugin/',
]

/** Who starts processes, and which: by an absolute path, or by what a person configured or typed. */
export const processStarters: Readonly<Record<string, string>> = {
  'src/platform/git/git-command.ts': 'git, and nobody else starts it',
  'src/platform/process/processes.ts': 'ps',
  'src/platform/process/ancestor.ts': 'ps',
  'src/platform/process/run-program.ts': 'verifications and smoke commands of a person',
  'src/tasks/supervisor/process/process-table.ts': 'ps',
  'src/tasks/supervisor/process/run-command.ts': 'the agent that `holdfast run` was given',
  'src/tasks/supervisor/process/guarded-processes.ts': 'this Node, for the guardian',
  'src/tasks/context-safety/io/external-probe.ts': 'the probe of the user configuration',
  'src/install/run-probe.ts': 'the hook command as it is installed, for `doctor`',
  'src/harness/codex/trust.ts': 'codex, for `doctor`',
  'src/daemon/housekeeping/index-refresh.ts': 'this Node, for `holdfast index`',
  'src/client/daemon-start.ts': 'this Node, for the daemon',
  'src/hook/fallback.ts': 'this Node, for the stand-in of a late daemon',
  'src/harness/plugin/plugin-host.ts': 'the Node of the installation, for the hook client',
  'src/harness/plugin/report.ts': 'the Node of the installation, for the hook client',
  'src/cli/demo/demo-project.ts': 'this Node and the installed hook, in the demo',
  'src/cli/commands/tools/mcp.ts': 'this Node, for the pipe',
  'src/cli/commands/tools/daemon.ts': 'this Node, for the daemon',
}

/** Where the id of a harness may be written besides its own folder. */
export const harnessIdsAllowed: Readonly<Record<string, string>> = {
  'src/harness/descriptor/known-harnesses.ts': 'generated from the registry',
  'src/cli/demo/': 'the demo plays a session of Claude Code',
  'src/cli/commands/inspect/recover.ts': 'the documented default of `recover --harness`',
}

export const GIT_STARTER = 'src/platform/git/git-command.ts'
