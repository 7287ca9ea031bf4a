import { open } from 'node:fs/promises'
import { HoldfastError, messageOf } from '../../kernel/errors.ts'
import { redactForeign } from '../../redaction/redact-input.ts'
import { isObject, type JsonObject } from '../../kernel/json-shape.ts'

const MAX_DOCUMENT_BYTES = 128 * 1_048_576

/** The JSON object that a whole file holds. */
export async function readDocument(path: string): Promise<JsonObject> {
  await using file = await open(path, 'r')
  const { size } = await file.stat()
  if (size > MAX_DOCUMENT_BYTES)
    throw new HoldfastError('too-large', `${path} has ${size} bytes; at most ${MAX_DOCUMENT_BYTES} can be read.`)
  try {
    const text = (await file.readFile('utf8')).replace(/^\uFEFF/, '')
    const document: unknown = redactForeign(JSON.parse(text), text)
    if (isObject(document)) return document
    throw new Error('it does not hold a JSON object')
  } catch (thrown) {
    throw new HoldfastError('invalid-input', `${path} is not a transcript: ${messageOf(thrown)}.`, { cause: thrown })
  }
}
