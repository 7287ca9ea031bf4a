import type { CommandEntry } from './command-table.ts'

/** Governed tasks and their sessions. */
export const TASK_COMMANDS: readonly CommandEntry[] = [
  {
    name: 'task new',
    summary: 'begin a governed task: a folder under tasks/ with gates G0 to G10',
    group: 'Govern',
    load: async () => (await import('./commands/tasks/task-new.ts')).taskNewCommand,
  },
  {
    name: 'task list',
    summary: 'governed tasks of this project, latest activity first',
    group: 'Govern',
    isDefault: true,
    load: async () => (await import('./commands/tasks/task-list.ts')).taskListCommand,
  },
  {
    name: 'task show',
    summary: 'where a governed task stands: gates, sessions, last checkpoint, findings',
    group: 'Govern',
    load: async () => (await import('./commands/tasks/task-show.ts')).taskShowCommand,
  },
  {
    name: 'task gate',
    summary: 'enter a gate, when everything before it holds; writes a checkpoint',
    group: 'Govern',
    load: async () => (await import('./commands/tasks/task-gate.ts')).taskGateCommand,
  },
  {
    name: 'task checkpoint',
    summary: 'a checkpoint of the session under way: a decision, files, an error and what solved it',
    group: 'Govern',
    load: async () => (await import('./commands/tasks/task-checkpoint.ts')).taskCheckpointCommand,
  },
  {
    name: 'task block',
    summary: 'say what stands in the way of a task, or that it no longer does',
    group: 'Govern',
    load: async () => (await import('./commands/tasks/task-block.ts')).taskBlockCommand,
  },
  {
    name: 'task done',
    summary: 'archive a task once every gate its flow needs was entered',
    group: 'Govern',
    load: async () => (await import('./commands/tasks/task-done.ts')).taskDoneCommand,
  },
  {
    name: 'session start',
    summary: 'start a session of a governed task: recall, progress, status, history, health check, announce',
    group: 'Govern',
    load: async () => (await import('./commands/tasks/session-start.ts')).sessionStartCommand,
  },
  {
    name: 'session end',
    summary: 'end a session of a governed task: secure the work, log, checkpoint, memorize, status, event',
    group: 'Govern',
    load: async () => (await import('./commands/tasks/session-end.ts')).sessionEndCommand,
  },
]
