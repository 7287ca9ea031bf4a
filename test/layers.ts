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
  'agent-api/checklist': { imports: ['kernel', 'redaction'], libraries: ['node:', 'markdown-it'] },
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
    imports: ['kernel', 'tasks', 'tasks/files', 'tasks/patch', 'tasks/memory', 'tasks/context-safety/io'],
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
    imports: ['kernel', 'redaction', 'platform', 'harness', 'install', 'storage/sqlite/connection/driver', 'transfer'],
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
    imports: ['kernel', 'redaction', 'platform', 'install', 'harness/descriptor', 'harness/plugin'],
    libraries: ['node:', 'zod', 'jsonc-parser', 'smol-toml'],
  },
  'harness/descriptor': { imports: ['kernel'], libraries: ['zod'] },
  'harness/plugin': { imports: ['kernel', 'platform/base', 'client', 'wire/headers'], libraries: ['node:'] },
  wire: {
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
      'transfer',
    ],
    libraries: ['zod'],
  },
  api: { imports: ['wire'], libraries: ['zod'] },
  spool: { imports: ['kernel', 'platform'], libraries: ['node:'] },
  client: { imports: ['kernel', 'platform', 'capture', 'app', 'wire', 'api'], libraries: ['node:', 'zod'] },
  hook: { imports: ['kernel', 'platform', 'wire/headers', 'client', 'spool'], libraries: ['node:'] },
  mcp: {
    imports: ['kernel', 'redaction', 'platform', 'app', 'named-checkpoint', 'tasks', 'client', 'wire', 'harness'],
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
    libraries: ['node:', 'commander', 'picocolors'],
  },
}

/** Files of a folder, tests beside them not counted. */
export const MAX_FILES_IN_FOLDER = 20
export const MAX_LINES = 400
export const MAX_IMPORTS = 15

/** Files over a limit, each with the reason why splitting it would make it worse. */
export const sizeExceptions: Readonly<Record<string, string>> = {
  'src/agent-api/summaries/summaries.ts': 'Saving a summary meets intents, liveness, redaction and the claim check.',
  'src/agent-api/checklist/io/project-checklists.ts': 'Brings the file, its evidence and its verification together.',
  'src/app/create-continuity.ts': 'Wires every domain folder into the use cases; each import is one part.',
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
