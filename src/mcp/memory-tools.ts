import type { Tool } from './tool/tool.ts'
import { checkpointDelete } from './tools/memory/checkpoint-delete.ts'
import { checkpointList } from './tools/memory/checkpoint-list.ts'
import { checkpointResume } from './tools/memory/checkpoint-resume.ts'
import { checkpointSave } from './tools/memory/checkpoint-save.ts'
import { forget } from './tools/memory/forget.ts'
import { recall } from './tools/memory/recall.ts'
import { remember } from './tools/memory/remember.ts'
import { sessionDigest } from './tools/memory/session-digest.ts'

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
