import { z } from 'zod'
import { SYMBOL_KINDS } from './symbol.ts'

const IndexMetaSchema = z.object({
  generated: z.string(),
  markdown: z.string().optional(),
  head: z.string().optional(),
})

/** What the pair check asks of a PROJECT_INDEX.json, whoever wrote it. */
export const IndexHeadSchema = z.object({ meta: IndexMetaSchema })

/** What the registry asks of one that we wrote. */
export const IndexFileSchema = z.object({
  meta: IndexMetaSchema,
  files: z.array(
    z.object({
      path: z.string(),
      symbols: z.array(z.tuple([z.string(), z.enum(SYMBOL_KINDS), z.number().int().positive()])),
    }),
  ),
})

/** Undefined for text that is not JSON or not of that shape. */
export function parseAs<Shape>(schema: z.ZodType<Shape>, text: string): Shape | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
