import { createHash } from 'node:crypto'
import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { messageOf } from '../../../kernel/errors.ts'
import { configDir as claudeFolder } from '../../../harness/claude-code/places.ts'
import { codexHome } from '../../../harness/codex/places.ts'
import { userFolder as geminiFolder } from '../../../harness/gemini-cli/places.ts'
import { isObject } from '../../../kernel/json-shape.ts'
import type { SetupWorld } from '../../../install/contract/setup.ts'
import { guessHarness } from './guess-harness.ts'
import { databaseSources } from './opencode-database.ts'
import type { TranscriptSource } from './source.ts'

export const IMPORTABLE = ['claude-code', 'codex', 'gemini-cli', 'opencode'] as const
export type Importable = (typeof IMPORTABLE)[number]

const MAX_DEPTH = 8
const TRANSCRIPT = /\.jsonl?(\.gz)?$/
/** Claude Code's subagents have files of their own; what they did is read with the session that started them. */
const NO_SESSION = /^(agent-|manifest\.|index\.)/

/** A folder, file or database that would not be read. */
export interface Unreadable {
  readonly path: string
  readonly reason: string
}

/** One place on the disk after another: what cannot be read is noted, and the rest goes on. */
class Looking {
  readonly unreadable: Unreadable[] = []

  async at<T>(path: string, look: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await look()
    } catch (thrown) {
      this.unreadable.push({ path, reason: messageOf(thrown) })
      return undefined
    }
  }

  /** Regular files below a folder, in the order of their names; links are not followed. */
  async filesBelow(folder: string, depth = 0): Promise<readonly string[]> {
    if (depth > MAX_DEPTH || !existsSync(folder)) return []
    const entries = (await this.at(folder, () => readdir(folder, { withFileTypes: true }))) ?? []
    const files: string[] = []
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name)
      if (entry.isDirectory() && entry.name !== 'subagents') files.push(...(await this.filesBelow(path, depth + 1)))
      else if (entry.isFile() && TRANSCRIPT.test(entry.name) && !NO_SESSION.test(entry.name)) files.push(path)
    }
    return files
  }

  async sources(
    harness: string,
    paths: readonly string[],
    cwdOf: (path: string) => string | undefined = () => undefined,
  ): Promise<readonly TranscriptSource[]> {
    const sources: TranscriptSource[] = []
    for (const path of paths) {
      // May be gone since its folder was read.
      const facts = await this.at(path, () => statSync(path))
      const cwd = cwdOf(path)
      if (facts === undefined) continue
      const { size, mtimeMs } = facts
      sources.push({ harness, path, size, modifiedMs: mtimeMs, ...(cwd === undefined ? {} : { cwd }) })
    }
    return sources
  }

  async inDatabase(path: string): Promise<readonly TranscriptSource[]> {
    return existsSync(path) ? ((await this.at(path, () => databaseSources(path))) ?? []) : []
  }
}

function readSmall(path: string): string | undefined {
  try {
    const facts = statSync(path)
    return facts.isFile() && facts.size <= 1_048_576 ? readFileSync(path, 'utf8') : undefined
  } catch {
    // Most folders have none.
    return undefined
  }
}

const MAX_PATH_CHARS = 4_096

function isPath(text: string): boolean {
  return text.length <= MAX_PATH_CHARS && isAbsolute(text) && !/[\n\0]/.test(text)
}

/** Gemini CLI names a project's folder by a word or a digest, and says beside it, or in one list, which project that is. */
function geminiProject(home: string, chat: string): string | undefined {
  const folder = dirname(dirname(chat))
  const said = readSmall(join(folder, '.project_root'))?.trim()
  if (said !== undefined && isPath(said)) return said
  const name = basename(folder)
  try {
    const list: unknown = JSON.parse(readSmall(join(home, 'projects.json')) ?? '{}')
    const projects = isObject(list) && isObject(list.projects) ? Object.entries(list.projects) : []
    const digest = (path: string) => createHash('sha256').update(path).digest('hex')
    return projects.find(([path, word]) => word === name || digest(path) === name)?.[0]
  } catch {
    // Then the session is kept without a place.
    return undefined
  }
}

async function inDefaultFolders(
  harness: Importable,
  world: SetupWorld,
  looking: Looking,
): Promise<readonly TranscriptSource[]> {
  switch (harness) {
    case 'claude-code':
      return looking.sources(harness, await looking.filesBelow(join(claudeFolder(world), 'projects')))
    case 'codex': {
      const folders = ['sessions', 'archived_sessions'].map((name) => join(codexHome(world), name))
      const files = await Promise.all(folders.map((folder) => looking.filesBelow(folder)))
      return looking.sources(harness, files.flat())
    }
    case 'gemini-cli': {
      const home = geminiFolder(world)
      const files = await looking.filesBelow(join(home, 'tmp'))
      const chats = files.filter((path) => basename(dirname(path)) === 'chats')
      return looking.sources(harness, chats, (path) => geminiProject(home, path))
    }
    case 'opencode': {
      const { env } = world
      const data = env.XDG_DATA_HOME || join(env.HOME || env.USERPROFILE || homedir(), '.local', 'share')
      return looking.inDatabase(env.OPENCODE_DB || join(data, 'opencode', 'opencode.db'))
    }
  }
}

export interface Search {
  readonly harnesses: readonly Importable[]
  /** A folder, or one file, instead of the harnesses' own folders. */
  readonly from?: string
  /** Files in `from` are taken for this harness's; else each is looked into. */
  readonly isNamed: boolean
}

export interface Found {
  readonly sources: readonly TranscriptSource[]
  /** Files in the folder given that are no transcript of a harness we can read. */
  readonly foreign: readonly string[]
  readonly unreadable: readonly Unreadable[]
}

async function inPlaceGiven(
  place: string,
  { harnesses, isNamed }: Search,
  looking: Looking,
): Promise<Omit<Found, 'unreadable'>> {
  const sources: TranscriptSource[] = []
  const foreign: string[] = []
  const facts = await looking.at(place, () => {
    const found = statSync(place)
    // Reading a pipe or a device may never end.
    if (!found.isDirectory() && !found.isFile()) throw new Error('It is neither a folder nor a plain file.')
    return found
  })
  if (facts === undefined) return { sources, foreign }
  const isFolder = facts.isDirectory()
  const database = isFolder ? join(place, 'opencode.db') : place
  if (harnesses.includes('opencode') && database.endsWith('.db')) sources.push(...(await looking.inDatabase(database)))
  const files = isFolder ? await looking.filesBelow(place) : place.endsWith('.db') ? [] : [place]
  for (const path of files) {
    const isOurs = await looking.at(path, () => {
      accessSync(path, constants.R_OK)
      return true
    })
    if (isOurs === undefined) continue
    const harness = isNamed ? harnesses[0] : await guessHarness(path)
    if (harness === undefined) foreign.push(path)
    else sources.push(...(await looking.sources(harness, [path])))
  }
  return { sources, foreign }
}

/** Oldest first, so that the log has them in the order in which they were. */
export async function findSources(search: Search, world: SetupWorld): Promise<Found> {
  const looking = new Looking()
  const { sources, foreign } =
    search.from === undefined
      ? {
          sources: (
            await Promise.all(search.harnesses.map((harness) => inDefaultFolders(harness, world, looking)))
          ).flat(),
          foreign: [],
        }
      : await inPlaceGiven(resolve(world.cwd, search.from), search, looking)
  const { unreadable } = looking
  return { sources: sources.toSorted((a, b) => a.modifiedMs - b.modifiedMs), foreign, unreadable }
}
