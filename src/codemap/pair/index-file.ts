import { z } from 'zod'
import { MAX_MAX_CHARS, MIN_MAX_CHARS } from '../project-index.ts'
import { readIndexJson } from './read-pair.ts'

const IndexMetaSchema = z.object({
  generated: z.string(),
  markdown: z.string().optional(),
  head: z.string().optional(),
  tool: z.string().optional(),
  maxChars: z.number().int().min(MIN_MAX_CHARS).max(MAX_MAX_CHARS).optional(),
})

/** What the pair check asks of a PROJECT_INDEX.json, whoever wrote it. */
export const IndexHeadSchema = z.object({ meta: IndexMetaSchema })

export type IndexHead = z.infer<typeof IndexMetaSchema>

/** What a PROJECT_INDEX.json says of itself; undefined without one, empty when it cannot be read. */
export type FindHead = (root: string) => Promise<{ readonly meta?: IndexHead } | undefined>

export const readHead: FindHead = async (root) => {
  const json = await readIndexJson(root)
  if (json === undefined) return undefined
  const meta = parseAs(IndexHeadSchema, json)?.meta
  return meta === undefined ? {} : { meta }
}

/** Undefined for text that is not JSON or not of that shape. */
export function parseAs<Shape>(schema: z.ZodType<Shape>, text: string): Shape | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
