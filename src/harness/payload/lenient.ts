import { z } from 'zod'

/** Text of somebody else's payload. A field of the wrong type reads as absent: one odd field must not cost the whole event. */
export const lenientText = z.string().optional().catch(undefined)
