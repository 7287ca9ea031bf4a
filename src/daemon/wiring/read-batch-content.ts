import * as z from 'zod'
import { DataRecordSchema } from '../../api/records.ts'
import { asObject, asText } from '../../kernel/json-shape.ts'
import { BATCH_FORMAT } from '../../sync/record.ts'
import type { ReadContent } from '../../sync/receive.ts'
import { RefusedBatch } from '../../sync/sealing.ts'

const Shape = z.object({
  format: z.literal(BATCH_FORMAT),
  machine: z.object({ id: z.string(), name: z.string().max(64) }),
  records: z.array(z.unknown()).max(10_000),
})

/** The content of a batch in its shape. A member may run a newer version, whose records are read after an upgrade. */
export const readContent: ReadContent = (text) => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new RefusedBatch('damaged')
  }
  const format = asText(asObject(value)['format'])
  if (format !== BATCH_FORMAT && format?.startsWith('holdfast-batch/') === true) throw new RefusedBatch('newer')
  const parsed = Shape.safeParse(value)
  if (!parsed.success) throw new RefusedBatch('damaged')
  const { records, ...content } = parsed.data
  return {
    ...content,
    records: records.map((record) => {
      const known = DataRecordSchema.safeParse(record)
      if (!known.success) throw new RefusedBatch('newer')
      return known.data
    }),
  }
}
