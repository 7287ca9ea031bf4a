import type { CliCommand } from './shared/command.ts'

/** A heading of `holdfast --help`. */
export type CommandGroup = 'Connect' | 'Inspect' | 'Memory' | 'Governed tasks' | 'Tools'

export interface CommandTableEntry {
  /** As typed, for example `daemon start`. */
  readonly name: string
  readonly summary: string
  readonly group: CommandGroup
  /** Not listed in the help: only programs call it. */
  readonly isHidden?: boolean
  /** Runs when only the first word of its family is typed. */
  readonly isDefault?: boolean
  /** Options (`args` for the arguments) that the command itself redacts or refuses: `runCli` passes them on unchanged. */
  readonly redactedLater?: readonly string[]
  /** reads: changes nothing. saves: stores the work of the session in the store. Absent: it does more, and is refused while a session is degraded to read-only. */
  readonly effect?: 'reads' | 'saves'
  /** Options with which it does more. */
  readonly writesWith?: readonly string[]
  /** Imports the command's file. Called only for the command that was typed. */
  readonly load: () => Promise<CliCommand>
}

export interface CommandFamily {
  readonly summary: string
  readonly group: CommandGroup
}

/** First words that are not a command by themselves. */
export const FAMILIES: Readonly<Record<string, CommandFamily>> = {
  handoff: { summary: 'move unfinished work to another machine', group: 'Connect' },
  team: { summary: 'share with other people through a team server', group: 'Connect' },
  sync: { summary: 'exchange with your other machines', group: 'Connect' },
  sessions: { summary: 'list, show, name, tag and delete sessions', group: 'Inspect' },
  checkpoints: { summary: 'list, show, save and resume checkpoints', group: 'Inspect' },
  events: { summary: 'the log of recorded events', group: 'Inspect' },
  entities: { summary: 'functions, classes and endpoints, and where they are', group: 'Inspect' },
  projects: { summary: 'names and keywords for projects', group: 'Inspect' },
  memories: { summary: 'list, edit, forget and review memories', group: 'Memory' },
  rules: { summary: 'list, add, edit and retire the rules that you gave', group: 'Memory' },
  checklist: { summary: 'show, mark and verify the items of CHECKLIST.md', group: 'Memory' },
  task: { summary: 'create and advance governed tasks', group: 'Governed tasks' },
  outbox: { summary: 'webhook delivery of task events', group: 'Governed tasks' },
  config: { summary: 'show and change settings', group: 'Tools' },
  daemon: { summary: 'start, stop and inspect the background process', group: 'Tools' },
}

/** Other words for a family. */
export const FAMILY_ALIASES: Readonly<Record<string, string>> = {
  session: 'sessions',
  checkpoint: 'checkpoints',
  memory: 'memories',
  project: 'projects',
}

/** The words with the present name of the command: `checkpoint save` is `checkpoints save`. */
export function toPresentNames(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => !word.startsWith('-'))
  const family = FAMILY_ALIASES[words[at] ?? '']
  if (family === undefined) return words
  const others = words.slice(at + 1)
  const [second] = others.filter((word) => !word.startsWith('-'))
  const isNamedList = words[at] === 'checkpoint' && (second === undefined || second === 'list')
  if (!isNamedList) return [...words.slice(0, at), family, ...others]
  return [...words.slice(0, at), family, 'named', ...others.filter((word) => word !== 'list')]
}

type EntryOptions = Pick<CommandTableEntry, 'isHidden' | 'isDefault' | 'redactedLater' | 'effect' | 'writesWith'>

function inGroup(
  group: CommandGroup,
  rows: readonly (readonly [name: string, summary: string, load: CommandTableEntry['load'], options?: EntryOptions])[],
): readonly CommandTableEntry[] {
  return rows.map(([name, summary, load, options]) => ({ name, summary, group, load, ...options }))
}

const sync = () => import('./commands/connect/sync.ts')
const handoff = () => import('./commands/connect/handoff.ts')
const teamPeople = () => import('./commands/team/people.ts')
const teamMembership = () => import('./commands/team/membership.ts')
const sessions = () => import('./commands/inspect/sessions.ts')
const checkpoints = () => import('./commands/inspect/checkpoints.ts')
const entities = () => import('./commands/project/entities.ts')
const projects = () => import('./commands/project/projects.ts')
const memories = () => import('./commands/memory/memories.ts')
const rules = () => import('./commands/memory/rules.ts')
const checkpoint = () => import('./commands/memory/checkpoint.ts')
const checklist = () => import('./commands/memory/checklist.ts')
const task = () => import('./commands/tasks/task.ts')
const session = () => import('./commands/tasks/session.ts')
const outbox = () => import('./commands/tasks/outbox.ts')
const labels = () => import('./commands/inspect/session-labels.ts')
const teamWork = () => import('./commands/inspect/team-work.ts')
const curation = () => import('./commands/memory/memory-curation.ts')
const config = () => import('./commands/tools/config.ts')
const erasing = () => import('./commands/inspect/erase.ts')
const daemon = () => import('./commands/tools/daemon.ts')

/** Every command, in the order of the help. */
export const COMMANDS: readonly CommandTableEntry[] = [
  ...inGroup('Connect', [
    [
      'init',
      'connect a harness; shows the changes and asks first',
      async () => (await import('./commands/connect/init.ts')).initCommand,
    ],
    [
      'uninstall',
      'disconnect a harness and restore every file',
      async () => (await import('./commands/connect/uninstall.ts')).uninstallCommand,
    ],
    [
      'doctor',
      'check the installation by running the installed hooks',
      async () => (await import('./commands/connect/doctor.ts')).doctorCommand,
      { effect: 'reads', writesWith: ['fix'] },
    ],
    [
      'demo',
      'show a crash and a recovery in a temporary project',
      async () => (await import('./commands/connect/demo.ts')).demoCommand,
    ],
    [
      'import',
      'import past sessions from transcripts, or a file of `export`',
      async () => (await import('./commands/connect/import.ts')).importCommand,
    ],
    [
      'export',
      'write a project, a session or the whole store to a file',
      async () => (await import('./commands/connect/export.ts')).exportCommand,
    ],
    [
      'handoff export',
      'write the state of the work to a signed file',
      async () => (await handoff()).handoffExportCommand,
    ],
    [
      'handoff import',
      'check a bundle and store it for the next session',
      async () => (await handoff()).handoffImportCommand,
    ],
    [
      'team serve',
      'run a team server on PostgreSQL',
      async () => (await import('./commands/team/serve.ts')).teamServeCommand,
    ],
    ['team invite', 'create an invite link', async () => (await teamPeople()).teamInviteCommand],
    ['team join', 'join a team with an invite link', async () => (await teamMembership()).teamJoinCommand],
    ['team leave', 'leave the team with this machine', async () => (await teamMembership()).teamLeaveCommand],
    [
      'team status',
      'show the team of this machine, and whether its server answers',
      async () => (await teamMembership()).teamStatusCommand,
      { effect: 'reads' },
    ],
    [
      'team members',
      'list the people of the team',
      async () => (await teamPeople()).teamMembersCommand,
      { effect: 'reads' },
    ],
    [
      'team machines',
      'list the machines of the team',
      async () => (await teamPeople()).teamMachinesCommand,
      { effect: 'reads' },
    ],
    [
      'team reads',
      'list who read what other people shared',
      async () => (await teamPeople()).teamReadsCommand,
      { effect: 'reads' },
    ],
    ['team role', 'change what a person may do', async () => (await teamPeople()).teamRoleCommand],
    ['team key', 'revoke the key of a machine', async () => (await teamPeople()).teamKeyCommand],
    [
      'team remove',
      'remove a person and delete their private records',
      async () => (await teamPeople()).teamRemoveCommand,
    ],
    [
      'sync add',
      'exchange with your other machines over a folder, ssh or git',
      async () => (await sync()).syncAddCommand,
      { redactedLater: ['args'] },
    ],
    ['sync run', 'exchange now', async () => (await sync()).syncRunCommand],
    [
      'sync status',
      'members, last exchange, refused records',
      async () => (await sync()).syncStatusCommand,
      { effect: 'reads' },
    ],
    ['sync list', 'list the spaces of this machine', async () => (await sync()).syncListCommand, { effect: 'reads' }],
    ['sync accept', 'accept a machine that is waiting to join', async () => (await sync()).syncAcceptCommand],
    [
      'sync remove',
      'leave a space and remove the records that this machine wrote there',
      async () => (await sync()).syncRemoveCommand,
      { redactedLater: ['args'] },
    ],
  ]),
  ...inGroup('Inspect', [
    [
      'status',
      'show what is running, stored and connected',
      async () => (await import('./commands/inspect/status.ts')).statusCommand,
      { effect: 'reads' },
    ],
    [
      'sessions list',
      'list sessions of this project, most recent first',
      async () => (await sessions()).sessionsListCommand,
      { isDefault: true, effect: 'reads' },
    ],
    [
      'sessions show',
      'show one session and its content',
      async () => (await sessions()).sessionsShowCommand,
      { effect: 'reads' },
    ],
    ['sessions rename', 'give a session a title', async () => (await labels()).sessionsRenameCommand],
    ['sessions tag', 'add and remove tags of a session', async () => (await labels()).sessionsTagCommand],
    ['sessions pin', 'mark a session as pinned', async () => (await labels()).sessionsPinCommand],
    [
      'take',
      'continue a session of another machine in the next session here',
      async () => (await teamWork()).takeCommand,
    ],
    ['sessions delete', 'erase a session', async () => (await erasing()).sessionsDeleteCommand],
    ['sessions archive', 'hide a session from lists', async () => (await labels()).sessionsArchiveCommand],
    [
      'sessions timeline',
      'show sessions and checkpoints in order of time',
      async () => (await sessions()).sessionsTimelineCommand,
      { effect: 'reads' },
    ],
    [
      'checkpoints list',
      'list checkpoints of this project, newest first',
      async () => (await checkpoints()).checkpointsListCommand,
      { isDefault: true, effect: 'reads' },
    ],
    [
      'checkpoints show',
      'show one checkpoint',
      async () => (await checkpoints()).checkpointsShowCommand,
      { effect: 'reads' },
    ],
    [
      'checkpoints verify',
      "check the hash chain of a governed task's checkpoints",
      async () => (await checkpoints()).checkpointsVerifyCommand,
      { effect: 'reads', writesWith: ['repair'] },
    ],
    [
      'events list',
      'list the newest events, or those of one session',
      async () => (await import('./commands/inspect/events.ts')).eventsListCommand,
      { isDefault: true, effect: 'reads' },
    ],
    [
      'events removed',
      'count the secrets that were removed, by day, kind and session',
      async () => (await import('./commands/inspect/events.ts')).eventsRemovedCommand,
      { effect: 'reads' },
    ],
    [
      'find',
      'search all sessions, memories and checkpoints',
      async () => (await import('./commands/inspect/find.ts')).findCommand,
      { effect: 'reads' },
    ],
    [
      'resume',
      'open a session again in its harness',
      async () => (await import('./commands/inspect/resume.ts')).resumeCommand,
    ],
    [
      'recover',
      'preview the recovery text for a transcript file (works offline)',
      async () => (await import('./commands/inspect/recover.ts')).recoverCommand,
      { effect: 'reads' },
    ],
    [
      'digest',
      'write a handoff of a session with the configured program',
      async () => (await import('./commands/inspect/digest.ts')).digestCommand,
    ],
    [
      'briefing',
      'print the briefing that a session gets about this project',
      async () => (await import('./commands/inspect/briefing.ts')).briefingCommand,
      { effect: 'reads' },
    ],
    [
      'conflicts',
      'forecast merges between worktrees, and list files edited by several sessions',
      async () => (await import('./commands/project/conflicts.ts')).conflictsCommand,
      { effect: 'reads' },
    ],
    [
      'intents',
      'list the intents that sessions declared',
      async () => (await import('./commands/inspect/intents.ts')).intentsCommand,
      { effect: 'reads' },
    ],
    [
      'entities list',
      'list entities and whether they are still at their location',
      async () => (await entities()).entitiesListCommand,
      { isDefault: true, effect: 'reads' },
    ],
    [
      'entities register',
      'record where an entity is defined',
      async () => (await entities()).entitiesRegisterCommand,
      { effect: 'saves' },
    ],
    ['entities forget', 'remove an entity registered by hand', async () => (await entities()).entitiesForgetCommand],
    [
      'projects list',
      'list projects that have a name',
      async () => (await projects()).projectsListCommand,
      { isDefault: true, effect: 'reads' },
    ],
    ['projects register', 'give a project a name', async () => (await projects()).projectsRegisterCommand],
    ['projects delete', 'erase all data of a project', async () => (await erasing()).projectsDeleteCommand],
    ['erase', 'delete all data of a session or a project', async () => (await erasing()).eraseCommand],
    ['projects keyword', 'add a search keyword to a project', async () => (await projects()).projectsKeywordCommand],
    [
      'explain',
      "show the text added to a session's context, and why",
      async () => (await import('./commands/inspect/explain.ts')).explainCommand,
      { effect: 'reads' },
    ],
    [
      'ledger',
      'list injected text: when, why, its size and whether it was used',
      async () => (await import('./commands/inspect/ledger.ts')).ledgerCommand,
      { effect: 'reads' },
    ],
    [
      'cost',
      'show the cost per session',
      async () => (await import('./commands/inspect/cost.ts')).costCommand,
      { effect: 'reads' },
    ],
    [
      'stats',
      'compare repeated work with and without recovery',
      async () => (await import('./commands/inspect/stats.ts')).statsCommand,
      { effect: 'reads' },
    ],
    [
      'dashboard',
      'print a one-time link to the dashboard',
      async () => (await import('./commands/inspect/dashboard.ts')).dashboardCommand,
    ],
  ]),
  ...inGroup('Memory', [
    [
      'remember',
      'store a decision, preference, fact or lesson for this project',
      async () => (await memories()).rememberCommand,
      { redactedLater: ['args', 'tag'], effect: 'saves' },
    ],
    [
      'recall',
      'search the memories of this project',
      async () => (await memories()).recallCommand,
      { effect: 'reads' },
    ],
    ['forget', 'delete a memory', async () => (await memories()).forgetCommand],
    [
      'memories list',
      'list the memories of this project, newest first',
      async () => (await curation()).memoriesListCommand,
      { isDefault: true, effect: 'reads' },
    ],
    [
      'memories show',
      'show one memory and the files and commits it refers to',
      async () => (await curation()).memoriesShowCommand,
      { effect: 'reads' },
    ],
    [
      'memories edit',
      'change the text, type, importance or tags of a memory, or pin it',
      async () => (await curation()).memoriesEditCommand,
      { redactedLater: ['args', 'tag'] },
    ],
    ['memories forget', 'delete memories by id or by text', async () => (await curation()).memoriesForgetCommand],
    ['memories restore', 'undo forgetting, within a week', async () => (await curation()).memoriesRestoreCommand],
    [
      'memories review',
      'list the memories that agents proposed',
      async () => (await curation()).memoriesReviewCommand,
      { effect: 'reads' },
    ],
    [
      'memories approve',
      'accept a proposed memory, as it is or reworded',
      async () => (await curation()).memoriesApproveCommand,
      { redactedLater: ['args'] },
    ],
    ['memories reject', 'reject a proposed memory', async () => (await curation()).memoriesRejectCommand],
    [
      'rules list',
      'list the rules of this project, and proposed ones',
      async () => (await rules()).rulesListCommand,
      { isDefault: true, effect: 'reads' },
    ],
    [
      'rules add',
      'add a rule, or accept a proposed one',
      async () => (await rules()).rulesAddCommand,
      { effect: 'saves' },
    ],
    ['rules edit', 'change the text of a rule', async () => (await rules()).rulesEditCommand],
    ['rules retire', 'retire a rule, or reject a proposed one', async () => (await rules()).rulesRetireCommand],
    [
      'rules review',
      'list the rules that agents proposed',
      async () => (await rules()).rulesReviewCommand,
      { effect: 'reads' },
    ],
    [
      'checkpoints save',
      'save the state of the task under a name',
      async () => (await checkpoint()).checkpointSaveCommand,
    ],
    [
      'checkpoints named',
      'list the named checkpoints of this project',
      async () => (await checkpoint()).checkpointListCommand,
      { effect: 'reads' },
    ],
    [
      'checkpoints resume',
      'show a saved checkpoint and what changed since it was saved',
      async () => (await checkpoint()).checkpointResumeCommand,
      { effect: 'reads' },
    ],
    ['checkpoints delete', 'delete a named checkpoint', async () => (await checkpoint()).checkpointDeleteCommand],
    [
      'checkpoints autosave',
      'save a copy of SESSION-STATE.md',
      async () => (await checkpoint()).checkpointAutosaveCommand,
    ],
    [
      'checklist show',
      'show the items, and ticked items that look unfinished',
      async () => (await checklist()).checklistShowCommand,
      { isDefault: true, effect: 'reads' },
    ],
    [
      'checklist mark',
      'change the status of an item',
      async () => (await checklist()).checklistMarkCommand,
      { redactedLater: ['run', 'expect'] },
    ],
    [
      'checklist verify',
      'run the verification commands of ticked items again',
      async () => (await checklist()).checklistVerifyCommand,
    ],
    [
      'checklist parse',
      'print the items of any Markdown file (works offline)',
      async () => (await checklist()).checklistParseCommand,
      { effect: 'reads' },
    ],
    ['share', 'share a memory or a session with the team', async () => (await teamWork()).shareCommand],
    ['unshare', 'stop sharing a memory or a session', async () => (await teamWork()).unshareCommand],
  ]),
  ...inGroup('Governed tasks', [
    [
      'run',
      'supervise an agent through the sessions of a governed task',
      async () => (await import('./commands/tasks/run.ts')).runCommand,
      { redactedLater: ['args'] },
    ],
    ['task new', 'create a governed task under tasks/', async () => (await task()).taskNewCommand],
    [
      'task list',
      'list governed tasks, most recent activity first',
      async () => (await task()).taskListCommand,
      { isDefault: true, effect: 'reads' },
    ],
    [
      'task show',
      'show gates, sessions and the last checkpoint',
      async () => (await task()).taskShowCommand,
      { effect: 'reads' },
    ],
    ['task gate', 'enter a gate if the gates before it are passed', async () => (await task()).taskGateCommand],
    ['task checkpoint', 'write a checkpoint of the current session', async () => (await task()).taskCheckpointCommand],
    ['task block', 'add or clear a blocker', async () => (await task()).taskBlockCommand],
    ['task done', 'archive a task whose required gates were all entered', async () => (await task()).taskDoneCommand],
    ['sessions start', 'start a session of a governed task', async () => (await session()).sessionStartCommand],
    ['sessions end', 'end a session of a governed task', async () => (await session()).sessionEndCommand],
    [
      'sessions reopen',
      'suspend a complete session, so that it can be resumed',
      async () => (await session()).sessionReopenCommand,
    ],
    [
      'sessions give-up',
      'terminate a suspended session that will not be resumed',
      async () => (await session()).sessionGiveUpCommand,
    ],
    [
      'sessions sandbox',
      'show whether the session is read-only, and unlock it',
      async () => (await session()).sessionSandboxCommand,
      { effect: 'reads', writesWith: ['leave'] },
    ],
    [
      'outbox status',
      'show delivered and waiting events',
      async () => (await outbox()).outboxStatusCommand,
      { isDefault: true, effect: 'reads' },
    ],
    [
      'outbox deliver',
      'send waiting events to the webhook, in order',
      async () => (await outbox()).outboxDeliverCommand,
    ],
  ]),
  ...inGroup('Tools', [
    [
      'index',
      'write PROJECT_INDEX.md and PROJECT_INDEX.json',
      async () => (await import('./commands/project/index.ts')).indexCommand,
    ],
    [
      'mcp',
      'run the MCP server on stdin and stdout',
      async () => (await import('./commands/tools/mcp.ts')).mcpCommand,
      { effect: 'saves' },
    ],
    [
      'config list',
      'show every setting, its value and its source',
      async () => (await config()).configCommand,
      { isDefault: true, effect: 'reads' },
    ],
    [
      'config get',
      'print the value of one setting',
      async () => (await config()).configGetCommand,
      { effect: 'reads' },
    ],
    ['config set', 'set a value, for you or for this project', async () => (await config()).configSetCommand],
    ['config unset', 'remove a value that was set', async () => (await config()).configUnsetCommand],
    ['off', 'stop recording in this project', async () => (await config()).offCommand],
    ['on', 'record in this project again', async () => (await config()).onCommand],
    ['logs', 'print the last lines of the log', async () => (await daemon()).daemonLogsCommand, { effect: 'reads' }],
    [
      'redact',
      'remove secrets from text (works offline)',
      async () => (await import('./commands/tools/redact.ts')).redactCommand,
      { effect: 'reads' },
    ],
    [
      'daemon start',
      'start the daemon if it is not running',
      async () => (await daemon()).daemonStartCommand,
      { effect: 'saves' },
    ],
    ['daemon stop', 'finish pending writes and stop the daemon', async () => (await daemon()).daemonStopCommand],
    [
      'daemon status',
      'show the state of the daemon, without starting it',
      async () => (await daemon()).daemonStatusCommand,
      { effect: 'reads' },
    ],
    [
      'daemon logs',
      'print the last lines of the log',
      async () => (await daemon()).daemonLogsCommand,
      { effect: 'reads' },
    ],
    [
      'daemon run',
      'run the daemon in the foreground',
      async () => (await daemon()).daemonRunCommand,
      { isHidden: true, effect: 'saves' },
    ],
    [
      'completion',
      'print the completion script of a shell',
      async () => {
        const { createCompletionCommand } = await import('./commands/tools/completion.ts')
        return createCompletionCommand((await import('./run.ts')).describeProgram, FAMILY_ALIASES)
      },
      { effect: 'reads' },
    ],
    [
      'upgrade',
      'print the commands that upgrade this installation',
      async () => (await import('./commands/tools/upgrade.ts')).upgradeCommand,
      { effect: 'reads' },
    ],
    [
      'version',
      'print the versions of Holdfast and Node',
      async () => (await import('./commands/tools/version.ts')).versionCommand,
      { effect: 'reads' },
    ],
  ]),
]
