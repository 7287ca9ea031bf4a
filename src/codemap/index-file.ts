import { z } from 'zod'
import { MAX_MAX_CHARS, MIN_MAX_CHARS } from './project-index.ts'

const IndexMetaSchema = z.object({
  generated: z.string(),
  markdown: z.string().optional(),
  head: z.string().optional(),
  tool: z.string().optional(),
  maxChars: z.number().int().min(MIN_MAX_CHARS).max(MAX_MAX_CHARS).optional(),
})

/** What the pair check asks of a PROJECT_INDEX.json, whoever wrote it. */
export const IndexHeadSchema = z.object({ meta: IndexMetaSchema })

/** Undefined for text that is not JSON or not of that shape. */
export function parseAs<Shape>(schema: z.ZodType<Shape>, text: string): Shape | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
