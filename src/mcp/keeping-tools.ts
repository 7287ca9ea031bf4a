import type { Tool } from './tool.ts'
import { checkpointDelete } from './tools/checkpoint-delete.ts'
import { checkpointList } from './tools/checkpoint-list.ts'
import { checkpointResume } from './tools/checkpoint-resume.ts'
import { checkpointSave } from './tools/checkpoint-save.ts'
import { forget } from './tools/forget.ts'
import { recall } from './tools/recall.ts'
import { remember } from './tools/remember.ts'
import { sessionDigest } from './tools/session-digest.ts'

/** Digests, memories and named checkpoints. */
export const keepingTools: readonly Tool[] = [
  sessionDigest,
  remember,
  recall,
  forget,
  checkpointSave,
  checkpointList,
  checkpointResume,
  checkpointDelete,
]
