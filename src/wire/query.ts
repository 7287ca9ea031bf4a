import * as z from 'zod'

/** A number in a query string; at least 1. */
export const limit = (max: number, fallback: number) => z.coerce.number().int().min(1).max(max).default(fallback)

/** `a,b` in a query string. */
export const listOf = <Item extends z.ZodType<unknown, string>>(item: Item) =>
  z
    .string()
    .min(1)
    .transform((text) => text.split(','))
    .pipe(z.array(item))

export const NoReply = z.object({ ok: z.literal(true) })
