import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { configDir as claudeFolder } from '../harness/claude-code/places.ts'
import { codexHome } from '../harness/codex/places.ts'
import { userFolder as geminiFolder } from '../harness/gemini-cli/places.ts'
import { isObject } from '../harness/json-shape.ts'
import type { SetupWorld } from '../harness/setup.ts'
import { guessHarness } from './guess-harness.ts'
import { databaseSources } from './opencode-database.ts'
import type { TranscriptSource } from './source.ts'

export const IMPORTABLE = ['claude-code', 'codex', 'gemini-cli', 'opencode'] as const
export type Importable = (typeof IMPORTABLE)[number]

const MAX_DEPTH = 8
const TRANSCRIPT = /\.jsonl?(\.gz)?$/
/** Claude Code's subagents have files of their own; what they did is read with the session that started them. */
const NO_SESSION = /^(agent-|manifest\.|index\.)/

/** Regular files below a folder, in the order of their names; links are not followed. */
async function filesBelow(folder: string, depth = 0): Promise<readonly string[]> {
  if (depth > MAX_DEPTH || !existsSync(folder)) return []
  const entries = await readdir(folder, { withFileTypes: true })
  const files: string[] = []
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name)
    if (entry.isDirectory() && entry.name !== 'subagents') files.push(...(await filesBelow(path, depth + 1)))
    else if (entry.isFile() && TRANSCRIPT.test(entry.name) && !NO_SESSION.test(entry.name)) files.push(path)
  }
  return files
}

function sourceOf(harness: string, path: string, cwd?: string): TranscriptSource {
  const { size, mtimeMs } = statSync(path)
  return { harness, path, size, modifiedMs: mtimeMs, ...(cwd === undefined ? {} : { cwd }) }
}

function readSmall(path: string): string | undefined {
  try {
    return statSync(path).size > 1_048_576 ? undefined : readFileSync(path, 'utf8')
  } catch {
    // Most folders have none.
    return undefined
  }
}

/** Gemini CLI names a project's folder by a word or a digest, and says beside it, or in one list, which project that is. */
function geminiProject(home: string, chat: string): string | undefined {
  const folder = dirname(dirname(chat))
  const said = readSmall(join(folder, '.project_root'))?.trim()
  if (said !== undefined && said !== '') return said
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

async function inDefaultFolders(harness: Importable, world: SetupWorld): Promise<readonly TranscriptSource[]> {
  switch (harness) {
    case 'claude-code':
      return (await filesBelow(join(claudeFolder(world), 'projects'))).map((path) => sourceOf(harness, path))
    case 'codex': {
      const folders = ['sessions', 'archived_sessions'].map((name) => join(codexHome(world), name))
      return (await Promise.all(folders.map((folder) => filesBelow(folder))))
        .flat()
        .map((path) => sourceOf(harness, path))
    }
    case 'gemini-cli': {
      const home = geminiFolder(world)
      const chats = (await filesBelow(join(home, 'tmp'))).filter((path) => basename(dirname(path)) === 'chats')
      return chats.map((path) => sourceOf(harness, path, geminiProject(home, path)))
    }
    case 'opencode': {
      const { env } = world
      const data = env.XDG_DATA_HOME || join(env.HOME || env.USERPROFILE || homedir(), '.local', 'share')
      const path = env.OPENCODE_DB || join(data, 'opencode', 'opencode.db')
      return existsSync(path) ? databaseSources(path) : []
    }
  }
}

export interface Search {
  readonly harnesses: readonly Importable[]
  /** Instead of the harnesses' own folders. */
  readonly from?: string
  /** Files in `from` are taken for this harness's; else each is looked into. */
  readonly isNamed: boolean
}

export interface Found {
  readonly sources: readonly TranscriptSource[]
  /** Files in the folder given that are no transcript of a harness we can read. */
  readonly foreign: readonly string[]
}

async function inFolder(folder: string, { harnesses, isNamed }: Search): Promise<Found> {
  const sources: TranscriptSource[] = []
  const foreign: string[] = []
  for (const path of await filesBelow(folder)) {
    const harness = isNamed ? harnesses[0] : await guessHarness(path)
    if (harness === undefined) foreign.push(path)
    else sources.push(sourceOf(harness, path))
  }
  const database = join(folder, 'opencode.db')
  if (harnesses.includes('opencode') && existsSync(database)) sources.push(...databaseSources(database))
  return { sources, foreign }
}

/** Oldest first, so that the log has them in the order in which they were. */
export async function findSources(search: Search, world: SetupWorld): Promise<Found> {
  const { sources, foreign } =
    search.from === undefined
      ? {
          sources: (await Promise.all(search.harnesses.map((harness) => inDefaultFolders(harness, world)))).flat(),
          foreign: [],
        }
      : await inFolder(resolve(world.cwd, search.from), search)
  return { sources: sources.toSorted((a, b) => a.modifiedMs - b.modifiedMs), foreign }
}
