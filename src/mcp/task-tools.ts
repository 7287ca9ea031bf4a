import type { Tool } from './tool/tool.ts'
import { taskCheckpoint } from './tools/task/task-checkpoint.ts'
import { taskStatus } from './tools/task/task-status.ts'

/** Governed tasks. Sessions begin and end at the keyboard: their rituals run commands of the repository. */
export const taskTools: readonly Tool[] = [taskStatus, taskCheckpoint]
