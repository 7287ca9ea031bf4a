import * as z from 'zod'
import { CheckpointId, EventId, MemoryId, ProjectId, SessionId, SessionKey } from '../core/id.ts'

const MAX_ID_CHARS = 512
const id = z.string().min(1).max(MAX_ID_CHARS)

export const EventIdSchema = id.transform(EventId)
export const SessionKeySchema = id.transform(SessionKey)
export const SessionIdSchema = id.transform(SessionId)
export const CheckpointIdSchema = id.transform(CheckpointId)
export const MemoryIdSchema = id.transform(MemoryId)
export const ProjectIdSchema = id.transform(ProjectId)
export const HarnessSchema = z.string().min(1).max(64)
