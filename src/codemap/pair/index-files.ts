import * as z from 'zod'
import { MAX_MAX_CHARS, MIN_MAX_CHARS, INDEX_JSON, INDEX_MARKDOWN, type ProjectIndex } from '../project-index.ts'
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { localFiles } from '../../platform/files/files.ts'
import { lstatSync, readFileSync, rmSync } from 'node:fs'
import { HoldfastError } from '../../kernel/errors.ts'
import { type DurableFs, realDurableFs, writeFileAtomic } from '../../platform/files/atomic-file.ts'
import { withProjectLock } from '../../platform/files/project-file.ts'

/** The current bytes, undefined when the file is missing; throws for anything but a regular file. */
function presentBytes(path: string): Buffer | undefined {
  const facts = lstatSync(path, { throwIfNoEntry: false })
  if (facts === undefined) return undefined
  if (facts.isFile()) return readFileSync(path)
  throw new HoldfastError('conflict', `${path} is ${facts.isSymbolicLink() ? 'a symbolic link' : 'not a file'}.`, {
    hint: 'Move it away and run `holdfast index` again: the pair is written in the project folder itself, never through a link.',
  })
}

/**
 * Writes both files or leaves both unchanged. A power loss between the two leaves a mismatched pair, which
 * `checkIndexPair` detects.
 */
export function writePair(
  root: string,
  { markdown, json }: Pick<ProjectIndex, 'markdown' | 'json'>,
  fs: DurableFs = realDurableFs,
): void {
  const options = { mode: 0o644, fs }
  const markdownPath = join(root, INDEX_MARKDOWN)
  const jsonPath = join(root, INDEX_JSON)
  presentBytes(markdownPath)
  const before = presentBytes(jsonPath)
  writeFileAtomic(jsonPath, json, options)
  try {
    writeFileAtomic(markdownPath, markdown, options)
  } catch (thrown) {
    if (before === undefined) rmSync(jsonPath, { force: true })
    else writeFileAtomic(jsonPath, before, options)
    throw thrown
  }
}

/** Like `writePair`, under a lock: two concurrent writers could leave a mismatched pair. */
export function replacePair(root: string, index: Pick<ProjectIndex, 'markdown' | 'json'>): Promise<void> {
  return withProjectLock({ root, path: INDEX_JSON }, () => writePair(root, index))
}

const MAX_MARKDOWN_BYTES = 1_000_000
const MAX_JSON_BYTES = 64_000_000

/** A link is not followed: it would let a repository expose any file of this machine to the agent. */
async function readPlain(path: string, maxBytes: number): Promise<string | undefined> {
  try {
    const facts = await lstat(path)
    return facts.isFile() && facts.size <= maxBytes ? await localFiles.readText(path, maxBytes) : undefined
  } catch {
    // Missing, which is the usual case.
    return undefined
  }
}

export function readMarkdown(root: string): Promise<string | undefined> {
  return readPlain(join(root, INDEX_MARKDOWN), MAX_MARKDOWN_BYTES)
}

export function readIndexJson(root: string, maxBytes: number = MAX_JSON_BYTES): Promise<string | undefined> {
  return readPlain(join(root, INDEX_JSON), maxBytes)
}

const IndexMetaSchema = z.object({
  generated: z.string(),
  markdown: z.string().optional(),
  head: z.string().optional(),
  tool: z.string().optional(),
  maxChars: z.number().int().min(MIN_MAX_CHARS).max(MAX_MAX_CHARS).optional(),
})

/** The fields of a PROJECT_INDEX.json that the pair check reads, written by Holdfast or by another tool. */
export const IndexHeadSchema = z.object({ meta: IndexMetaSchema })

export type IndexHead = z.infer<typeof IndexMetaSchema>

/** The metadata of a PROJECT_INDEX.json; undefined without one, empty when it is unreadable. */
export type FindHead = (root: string) => Promise<{ readonly meta?: IndexHead } | undefined>

export const readHead: FindHead = async (root) => {
  const json = await readIndexJson(root)
  if (json === undefined) return undefined
  const meta = parseAs(IndexHeadSchema, json)?.meta
  return meta === undefined ? {} : { meta }
}

/** Undefined for invalid JSON or another shape. */
export function parseAs<Shape>(schema: z.ZodType<Shape>, text: string): Shape | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
