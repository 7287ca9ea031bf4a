import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { localFiles } from '../../platform/files/files.ts'
import { INDEX_JSON, INDEX_MARKDOWN } from '../project-index.ts'

const MAX_MARKDOWN_BYTES = 1_000_000
const MAX_JSON_BYTES = 64_000_000

/** A link would let a repository show the agent any file of this machine. */
async function readPlain(path: string, maxBytes: number): Promise<string | undefined> {
  try {
    const facts = await lstat(path)
    return facts.isFile() && facts.size <= maxBytes ? await localFiles.readText(path, maxBytes) : undefined
  } catch {
    // Not there, which is the usual case.
    return undefined
  }
}

export function readMarkdown(root: string): Promise<string | undefined> {
  return readPlain(join(root, INDEX_MARKDOWN), MAX_MARKDOWN_BYTES)
}

export function readIndexJson(root: string, maxBytes: number = MAX_JSON_BYTES): Promise<string | undefined> {
  return readPlain(join(root, INDEX_JSON), maxBytes)
}
