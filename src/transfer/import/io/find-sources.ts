// How each harness's transcripts are found, recognised and read is in src/harness/<id>/transcript.ts; a new import source is
// added there. This file only walks the folders that it names.
import { accessSync, constants, createWriteStream, existsSync, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { TranscriptLocation, TranscriptSource } from '../../../harness/contract/transcript-format.ts'
import { findFormat, harnesses as registered } from '../../../harness/registry.ts'
import { parseLine } from '../../../harness/transcript/append-log.ts'
import type { SetupPorts } from '../../../install/contract/setup.ts'
import { HoldfastError, getErrorMessage } from '../../../kernel/errors.ts'
import type { Home } from '../../../platform/base/home.ts'
import { withScratchDir } from '../../../platform/scratch-dir.ts'
import { isPacked, readOpening, readUnpacked } from './line-chunks.ts'

const MAX_DEPTH = 8
const TRANSCRIPT = /\.jsonl?(\.gz)?$/
/** Claude Code's subagents have files of their own, which are read with the session that started them. */
const NO_SESSION = /^(agent-|manifest\.|index\.)/
const LINES_LOOKED_AT = 40

/** A folder, file or database that could not be read. */
export interface Unreadable {
  readonly path: string
  readonly reason: string
}

/** The harness that wrote a file, by its beginning; undefined for a file that no reader knows. */
export async function guessHarness(path: string): Promise<string | undefined> {
  try {
    const lines = (await readOpening(path)).split('\n', LINES_LOOKED_AT)
    for (const line of lines) {
      const record = parseLine(line)
      const owner = record && registered.find(({ transcript }) => transcript?.isOwnRecord?.(record) === true)
      if (owner !== undefined) return owner.id
    }
    const opening = lines.join('\n')
    if (!opening.trimStart().startsWith('{')) return undefined
    return registered.find(({ transcript }) => transcript?.isOwnDocument?.(opening) === true)?.id
  } catch {
    // Not what its name says, or not readable by us.
    return undefined
  }
}

/** Notes what cannot be read and continues with the rest. */
class SourceSearch {
  readonly unreadable: Unreadable[] = []
  /** By their names. */
  readonly notTranscripts: string[] = []

  async attempt<T>(path: string, look: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await look()
    } catch (thrown) {
      this.unreadable.push({ path, reason: getErrorMessage(thrown) })
      return undefined
    }
  }

  /** Regular files below a folder, ordered by name; links are not followed. */
  async filesBelow(folder: string, depth = 0): Promise<readonly string[]> {
    if (depth > MAX_DEPTH || !existsSync(folder)) return []
    const entries = (await this.attempt(folder, () => readdir(folder, { withFileTypes: true }))) ?? []
    const files: string[] = []
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name)
      if (entry.isDirectory() && entry.name !== 'subagents') files.push(...(await this.filesBelow(path, depth + 1)))
      else if (entry.isFile() && TRANSCRIPT.test(entry.name) && !NO_SESSION.test(entry.name)) files.push(path)
      else if (entry.isFile()) this.notTranscripts.push(path)
    }
    return files
  }

  /** The sessions of one file: many where it is a database. */
  async sourcesIn(harness: string, { path, cwd }: TranscriptLocation): Promise<readonly TranscriptSource[]> {
    const database = findFormat(harness)?.database
    if (database !== undefined && path.endsWith('.db')) {
      const sessions = await this.attempt(path, () => database.listSessions(path))
      return sessions?.map((session) => ({ harness, path, size: 0, ...session })) ?? []
    }
    // May be gone since its folder was read.
    const stats = await this.attempt(path, () => statSync(path))
    return stats === undefined ? [] : [{ harness, path, size: stats.size, modifiedMs: stats.mtimeMs, cwd }]
  }

  async findHistory(harness: string, ports: SetupPorts): Promise<readonly TranscriptSource[]> {
    const locations = (await findFormat(harness)?.findHistory?.(ports, (folder) => this.filesBelow(folder))) ?? []
    const sources: TranscriptSource[] = []
    for (const location of locations) sources.push(...(await this.sourcesIn(harness, location)))
    return sources
  }
}

export interface SourceQuery {
  /** Ids of importable harnesses. */
  readonly harnesses: readonly string[]
  /** A folder, or one file, instead of the harnesses' own folders. */
  readonly from?: string
  /** Files in `from` are taken for this harness's; else each is looked into. */
  readonly isNamed: boolean
}

export interface FoundSources {
  readonly sources: readonly TranscriptSource[]
  /** Files in the folder given that are not a transcript of a harness we can read. */
  readonly foreign: readonly string[]
  /** Files in the folders that were searched whose names are not those of transcripts; they were not opened. */
  readonly notTranscripts: readonly string[]
  readonly unreadable: readonly Unreadable[]
}

async function findGiven(
  location: string,
  { harnesses, isNamed }: SourceQuery,
  search: SourceSearch,
): Promise<Pick<FoundSources, 'sources' | 'foreign'>> {
  const sources: TranscriptSource[] = []
  const foreign: string[] = []
  const stats = await search.attempt(location, () => {
    const found = statSync(location)
    // Reading a pipe or a device may never end.
    if (!found.isDirectory() && !found.isFile()) throw new Error('It is neither a folder nor a regular file.')
    return found
  })
  if (stats === undefined) return { sources, foreign }
  const isFolder = stats.isDirectory()
  for (const harness of harnesses) {
    const database = findFormat(harness)?.database
    if (database === undefined) continue
    const path = isFolder ? join(location, database.fileName) : location
    if (path.endsWith('.db') && existsSync(path)) sources.push(...(await search.sourcesIn(harness, { path })))
  }
  const files = isFolder ? await search.filesBelow(location) : location.endsWith('.db') ? [] : [location]
  for (const path of files) {
    const isReadable = await search.attempt(path, () => {
      accessSync(path, constants.R_OK)
      return true
    })
    if (isReadable === undefined) continue
    const harness = isNamed ? harnesses[0] : await guessHarness(path)
    if (harness === undefined) foreign.push(path)
    else sources.push(...(await search.sourcesIn(harness, { path })))
  }
  return { sources, foreign }
}

/** Oldest first, so that the log has them in the order in which they were written. */
export async function findSources(query: SourceQuery, ports: SetupPorts): Promise<FoundSources> {
  const search = new SourceSearch()
  const found =
    query.from === undefined
      ? {
          sources: (await Promise.all(query.harnesses.map((harness) => search.findHistory(harness, ports)))).flat(),
          foreign: [],
        }
      : await findGiven(resolve(ports.cwd, query.from), query, search)
  const sources = found.sources.toSorted((a, b) => a.modifiedMs - b.modifiedMs)
  const opened = new Set(sources.map(({ path }) => path))
  const notTranscripts = [...new Set(search.notTranscripts)].filter((path) => !opened.has(path))
  return { sources, foreign: found.foreign, notTranscripts, unreadable: search.unreadable }
}

/** Readers seek in a transcript, so a packed one is unpacked first, privately and for as long as it is read. */
export async function withUnpacked<T>(path: string, home: Home, read: (path: string) => Promise<T>): Promise<T> {
  if (!isPacked(path)) return read(path)
  return withScratchDir(async (dir) => {
    const unpacked = join(dir, basename(path, '.gz'))
    try {
      await pipeline(readUnpacked(path), createWriteStream(unpacked, { mode: 0o600 }))
    } catch (cause) {
      throw new HoldfastError('unsupported', `${path} cannot be unpacked: ${getErrorMessage(cause)}`, { cause })
    }
    return read(unpacked)
  }, home)
}
