import type { CliCommand } from './shared/command.ts'
import { TASK_COMMANDS } from './task-commands.ts'

/** Where a command stands in `holdfast --help`. */
export type CommandGroup = 'Connect' | 'Look' | 'Remember' | 'Govern' | 'Tools'

export interface CommandEntry {
  /** As typed, for example `daemon start`. */
  readonly name: string
  readonly summary: string
  readonly group: CommandGroup
  /** Works, and is left out of the help: another program calls it. */
  readonly isHidden?: boolean
  /** What its family's first word alone means. */
  readonly isDefault?: boolean
  /** Options, and `args` for its arguments, that are handed on as they are or refused as a whole where they hold a secret. */
  readonly redactedLater?: readonly string[]
  /** Imported only when it is the one that was typed: the others cost nothing. */
  readonly load: () => Promise<CliCommand>
}

export interface CommandFamily {
  readonly summary: string
  readonly group: CommandGroup
}

/** First words that are no command by themselves. */
export const FAMILIES: Readonly<Record<string, CommandFamily>> = {
  handoff: { summary: 'take work to another machine, or over from one', group: 'Connect' },
  sessions: { summary: 'what sessions there were', group: 'Look' },
  checkpoints: { summary: 'what was kept of sessions', group: 'Look' },
  events: { summary: 'what was seen, one by one', group: 'Look' },
  entities: { summary: 'what the code has, by name: registered by hand or found by the index', group: 'Look' },
  projects: { summary: 'projects with a name, and what else they are called', group: 'Look' },
  checkpoint: { summary: 'save, list, resume or delete a checkpoint by name', group: 'Remember' },
  checklist: { summary: 'CHECKLIST.md: what is to be done, and whether it was', group: 'Remember' },
  outbox: { summary: 'events of governed tasks on their way to a webhook', group: 'Tools' },
  task: { summary: 'governed tasks: gates, checkpoints, blockers', group: 'Govern' },
  session: { summary: 'start or end a session of a governed task', group: 'Govern' },
  daemon: { summary: 'start, stop or watch the background process', group: 'Tools' },
}

/** Every ability at the keyboard, in the order of the help. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'init',
    summary: 'connect a harness: shows what it would write, and asks',
    group: 'Connect',
    load: async () => (await import('./commands/connect/init.ts')).initCommand,
  },
  {
    name: 'uninstall',
    summary: 'disconnect a harness and give back every file as it was',
    group: 'Connect',
    load: async () => (await import('./commands/connect/uninstall.ts')).uninstallCommand,
  },
  {
    name: 'doctor',
    summary: 'check everything, run the installed hook for real, and say what to do',
    group: 'Connect',
    load: async () => (await import('./commands/connect/doctor.ts')).doctorCommand,
  },
  {
    name: 'demo',
    summary: 'play the whole story in a temporary project: work, kill -9, recovery',
    group: 'Connect',
    load: async () => (await import('./commands/connect/demo.ts')).demoCommand,
  },
  {
    name: 'import',
    summary: 'read the transcripts that harnesses left on this disk, so that the past is known',
    group: 'Connect',
    load: async () => (await import('./commands/connect/import.ts')).importCommand,
  },
  {
    name: 'handoff export',
    summary: 'write where the work stands here into one signed file, for another machine',
    group: 'Connect',
    load: async () => (await import('./commands/connect/handoff-export.ts')).handoffExportCommand,
  },
  {
    name: 'handoff import',
    summary: 'take over work from another machine: check it against this checkout, keep it for the next session',
    group: 'Connect',
    load: async () => (await import('./commands/connect/handoff-import.ts')).handoffImportCommand,
  },
  {
    name: 'status',
    summary: 'what is running, what is kept, what is connected',
    group: 'Look',
    load: async () => (await import('./commands/look/status.ts')).statusCommand,
  },
  {
    name: 'sessions list',
    summary: 'sessions of this project, latest activity first',
    group: 'Look',
    isDefault: true,
    load: async () => (await import('./commands/look/sessions-list.ts')).sessionsListCommand,
  },
  {
    name: 'sessions show',
    summary: 'one session; with --task, one of a governed task with its steps and checkpoints',
    group: 'Look',
    load: async () => (await import('./commands/look/sessions-show.ts')).sessionsShowCommand,
  },
  {
    name: 'sessions timeline',
    summary: 'what happened when: sessions, checkpoints, gates and incidents',
    group: 'Look',
    load: async () => (await import('./commands/look/sessions-timeline.ts')).sessionsTimelineCommand,
  },
  {
    name: 'checkpoints list',
    summary: 'checkpoints of this project, newest first',
    group: 'Look',
    isDefault: true,
    load: async () => (await import('./commands/look/checkpoints-list.ts')).checkpointsListCommand,
  },
  {
    name: 'checkpoints verify',
    summary: "whether a governed task's checkpoints are all there, unchanged and in one chain",
    group: 'Look',
    load: async () => (await import('./commands/look/checkpoints-verify.ts')).checkpointsVerifyCommand,
  },
  {
    name: 'events list',
    summary: 'the event log: its end, or one session from its beginning',
    group: 'Look',
    isDefault: true,
    load: async () => (await import('./commands/look/events-list.ts')).eventsListCommand,
  },
  {
    name: 'recover',
    summary: 'what a session after this transcript would be told; needs no daemon',
    group: 'Look',
    load: async () => (await import('./commands/look/recover.ts')).recoverCommand,
  },
  {
    name: 'briefing',
    summary: 'what a session should know about this project, in one page',
    group: 'Look',
    load: async () => (await import('./commands/look/briefing.ts')).briefingCommand,
  },
  {
    name: 'intents',
    summary: 'what sessions said they would do, and whether they are still at it',
    group: 'Look',
    load: async () => (await import('./commands/look/intents.ts')).intentsCommand,
  },
  {
    name: 'entities list',
    summary: 'functions, classes and endpoints of this project, and whether they are where they were',
    group: 'Look',
    isDefault: true,
    load: async () => (await import('./commands/project/entities-list.ts')).entitiesListCommand,
  },
  {
    name: 'entities register',
    summary: 'say where something of the code is, or that it moved',
    group: 'Look',
    load: async () => (await import('./commands/project/entities-register.ts')).entitiesRegisterCommand,
  },
  {
    name: 'entities forget',
    summary: 'take out what was registered by hand',
    group: 'Look',
    load: async () => (await import('./commands/project/entities-forget.ts')).entitiesForgetCommand,
  },
  {
    name: 'projects list',
    summary: 'projects that were given a name',
    group: 'Look',
    isDefault: true,
    load: async () => (await import('./commands/project/projects-list.ts')).projectsListCommand,
  },
  {
    name: 'projects register',
    summary: 'give this project, or another, a name',
    group: 'Look',
    load: async () => (await import('./commands/project/projects-register.ts')).projectsRegisterCommand,
  },
  {
    name: 'projects keyword',
    summary: 'another word that a project is known by',
    group: 'Look',
    load: async () => (await import('./commands/project/projects-keyword.ts')).projectsKeywordCommand,
  },
  {
    name: 'explain',
    summary: 'what was put before an agent, line by line, and why; what was not, and why not',
    group: 'Look',
    load: async () => (await import('./commands/look/explain.ts')).explainCommand,
  },
  {
    name: 'ledger',
    summary: 'what was put before agents: when, why, at what cost, and whether it was used',
    group: 'Look',
    load: async () => (await import('./commands/look/ledger.ts')).ledgerCommand,
  },
  {
    name: 'stats',
    summary: 'what sessions did again after they were told where they were, against those told nothing',
    group: 'Look',
    load: async () => (await import('./commands/look/stats.ts')).statsCommand,
  },
  {
    name: 'dashboard',
    summary: 'a link that opens the dashboard in a browser, once',
    group: 'Look',
    load: async () => (await import('./commands/look/dashboard.ts')).dashboardCommand,
  },
  {
    name: 'remember',
    summary: 'keep a decision, preference, fact or lesson for this project',
    group: 'Remember',
    redactedLater: ['args', 'tag'],
    load: async () => (await import('./commands/remember/remember.ts')).rememberCommand,
  },
  {
    name: 'recall',
    summary:
      'find memories of this project; with --all, everything that was ever told; without words, the newest memories',
    group: 'Remember',
    load: async () => (await import('./commands/remember/recall.ts')).recallCommand,
  },
  {
    name: 'forget',
    summary: 'delete a memory',
    group: 'Remember',
    load: async () => (await import('./commands/remember/forget.ts')).forgetCommand,
  },
  {
    name: 'index',
    summary: 'write the map of this project: PROJECT_INDEX.md and .json',
    group: 'Tools',
    load: async () => (await import('./commands/project/index.ts')).indexCommand,
  },
  {
    name: 'checkpoint save',
    summary: 'save where the task stands under a name, for a later session',
    group: 'Remember',
    load: async () => (await import('./commands/remember/checkpoint-save.ts')).checkpointSaveCommand,
  },
  {
    name: 'checkpoint list',
    summary: 'checkpoints saved by name in this project, with their age',
    group: 'Remember',
    isDefault: true,
    load: async () => (await import('./commands/remember/checkpoint-list.ts')).checkpointListCommand,
  },
  {
    name: 'checkpoint resume',
    summary: 'show a saved checkpoint and what has changed since, and ask',
    group: 'Remember',
    load: async () => (await import('./commands/remember/checkpoint-resume.ts')).checkpointResumeCommand,
  },
  {
    name: 'checkpoint delete',
    summary: 'delete a checkpoint that was saved by name',
    group: 'Remember',
    load: async () => (await import('./commands/remember/checkpoint-delete.ts')).checkpointDeleteCommand,
  },
  {
    name: 'checkpoint autosave',
    summary: 'save SESSION-STATE.md before it is lost, unless that was just done',
    group: 'Remember',
    load: async () => (await import('./commands/remember/checkpoint-autosave.ts')).checkpointAutosaveCommand,
  },
  {
    name: 'checklist show',
    summary: 'the items of CHECKLIST.md, and which ticked ones look undone',
    group: 'Remember',
    isDefault: true,
    load: async () => (await import('./commands/remember/checklist-show.ts')).checklistShowCommand,
  },
  {
    name: 'checklist mark',
    summary: 'set an item to pending, in_progress, done, verified or blocked',
    group: 'Remember',
    redactedLater: ['run', 'expect'],
    load: async () => (await import('./commands/remember/checklist-mark.ts')).checklistMarkCommand,
  },
  {
    name: 'checklist verify',
    summary: 'run the verifications of what is ticked again, and say which fail',
    group: 'Remember',
    load: async () => (await import('./commands/remember/checklist-verify.ts')).checklistVerifyCommand,
  },
  {
    name: 'checklist parse',
    summary: 'the items of any Markdown file; needs no daemon',
    group: 'Remember',
    load: async () => (await import('./commands/remember/checklist-parse.ts')).checklistParseCommand,
  },
  {
    name: 'run',
    summary: 'supervise an agent across the sessions of a governed task',
    group: 'Tools',
    redactedLater: ['args'],
    load: async () => (await import('./commands/tasks/run.ts')).runCommand,
  },
  {
    name: 'outbox status',
    summary: 'events of governed tasks: what was delivered, what waits and why',
    group: 'Tools',
    isDefault: true,
    load: async () => (await import('./commands/tasks/outbox-status.ts')).outboxStatusCommand,
  },
  {
    name: 'outbox deliver',
    summary: 'send what waits to the webhook, each event until it is taken, in order',
    group: 'Tools',
    load: async () => (await import('./commands/tasks/outbox-deliver.ts')).outboxDeliverCommand,
  },
  ...TASK_COMMANDS,
  {
    name: 'session sandbox',
    summary: 'whether a session of a governed task was degraded to reading, and the way out',
    group: 'Govern',
    load: async () => (await import('./commands/tasks/session-sandbox.ts')).sessionSandboxCommand,
  },
  {
    name: 'mcp',
    summary: 'the MCP server that harnesses start: speaks JSON-RPC on stdin and stdout',
    group: 'Tools',
    load: async () => (await import('./commands/tools/mcp.ts')).mcpCommand,
  },
  {
    name: 'config',
    summary: 'every setting, its value and where it came from',
    group: 'Tools',
    load: async () => (await import('./commands/tools/config.ts')).configCommand,
  },
  {
    name: 'redact',
    summary: 'a filter that takes secrets out of text; needs no daemon',
    group: 'Tools',
    load: async () => (await import('./commands/tools/redact.ts')).redactCommand,
  },
  {
    name: 'daemon start',
    summary: 'start it, unless it runs already',
    group: 'Tools',
    load: async () => (await import('./commands/tools/daemon-start.ts')).daemonStartCommand,
  },
  {
    name: 'daemon stop',
    summary: 'stop it once everything accepted is kept',
    group: 'Tools',
    load: async () => (await import('./commands/tools/daemon-stop.ts')).daemonStopCommand,
  },
  {
    name: 'daemon status',
    summary: 'whether it runs, and how it is; never starts it',
    group: 'Tools',
    load: async () => (await import('./commands/tools/daemon-status.ts')).daemonStatusCommand,
  },
  {
    name: 'daemon logs',
    summary: 'the end of its log',
    group: 'Tools',
    load: async () => (await import('./commands/tools/daemon-logs.ts')).daemonLogsCommand,
  },
  {
    name: 'daemon run',
    summary: 'run it in the foreground',
    group: 'Tools',
    isHidden: true,
    load: async () => (await import('./commands/tools/daemon-run.ts')).daemonRunCommand,
  },
  {
    name: 'version',
    summary: 'the versions of Holdfast and of what it runs on',
    group: 'Tools',
    load: async () => (await import('./commands/tools/version.ts')).versionCommand,
  },
]
