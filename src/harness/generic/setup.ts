import { homedir } from 'node:os'
import { join } from 'node:path'
import { type CommandHook, commandHooksPiece } from '../../install/edits/command-hooks.ts'
import { entryCommandsPiece } from '../../install/edits/entry-commands.ts'
import { listOf, objectOf } from '../../kernel/json-shape.ts'
import { hookCommand } from '../../install/edits/launcher-hooks.ts'
import type { Piece } from '../../install/contract/settings-edit.ts'
import { jsonEntryPiece } from '../../install/edits/json-entry.ts'
import { isOurMcpServer, MCP_SERVER, mcpServer, readMcpServer } from '../../install/edits/mcp-server.ts'
import { skillPieces } from '../../install/edits/skills.ts'
import { snippetPiece } from '../../install/edits/snippet.ts'
import { tomlTablePiece } from '../../install/edits/toml-table.ts'
import type { HarnessSetup, Scope, SetupWorld } from '../../install/contract/setup.ts'
import { GENERIC } from './events.ts'
import type { Page } from '../descriptor/descriptor.ts'

interface Place {
  readonly file?: string | undefined
  readonly projectFile?: string | undefined
}

/** Where the page puts something in this scope; undefined where it has no place for it. */
function placeOf(world: SetupWorld, scope: Scope, { file, projectFile }: Place): string | undefined {
  if (scope === 'project') return projectFile === undefined ? undefined : join(world.cwd, projectFile)
  const home = world.env.HOME || world.env.USERPROFILE || homedir()
  return file?.startsWith('~/') === true ? join(home, file.slice(2)) : file
}

/** The word by which our launcher is told whose hook it is, and what it means. */
function hookWords({ name, hooks }: Page): readonly (readonly [hook: string, word: string])[] {
  return Object.entries(hooks?.events ?? {}).map(([hook, told]) => {
    const event = typeof told === 'string' ? told : told.event
    return [hook, `${name}.${event}.${hook}`] as const
  })
}

function hookPieces(world: SetupWorld, scope: Scope, page: Page): readonly Piece[] {
  const path = placeOf(world, scope, page.hooks ?? {})
  if (page.hooks === undefined || path === undefined) return []
  const { style, entry: extra } = page.hooks
  const words = hookWords(page)
  const common = { harness: GENERIC, world, path, extra, owner: page.name }
  if (style === 'entries')
    return [entryCommandsPiece({ ...common, hooks: words.map(([hook, word]) => [hook, [word]] as const) })]
  const hooks = words.map(([hook, word]): CommandHook => ({ hook, word }))
  return [commandHooksPiece({ ...common, hooks })]
}

function isOurServer(value: unknown): boolean {
  const { command, args } = objectOf(value)
  const [program, ...rest] = [...listOf(command), ...listOf(args)]
  return Array.isArray(command) ? isOurMcpServer(program, rest) : isOurMcpServer(command, listOf(args))
}

function mcpPieces(world: SetupWorld, scope: Scope, { mcp }: Page): readonly Piece[] {
  const path = placeOf(world, scope, mcp ?? {})
  if (mcp === undefined || path === undefined) return []
  const { command, args, env } = mcpServer(world)
  const started =
    mcp.form === 'list'
      ? { command: [command, ...args], ...(env === undefined ? {} : { environment: env }) }
      : mcpServer(world)
  const base = { id: 'mcp', kind: 'mcp', path, isOurs: isOurServer, readServer: readEitherForm } as const
  const value = { ...mcp.entry, ...started }
  if (path.endsWith('.toml')) return [tomlTablePiece({ ...base, table: [...mcp.at, MCP_SERVER], value })]
  return [jsonEntryPiece({ ...base, at: mcp.at, key: MCP_SERVER, value })]
}

function readEitherForm(value: unknown) {
  const { command, environment } = objectOf(value)
  if (!Array.isArray(command)) return readMcpServer(value)
  const [program, ...args]: readonly unknown[] = command
  return readMcpServer({ command: program, args, env: environment })
}

function piecesOf(world: SetupWorld, scope: Scope, page: Page): readonly Piece[] {
  const instructions = placeOf(world, scope, page.instructions ?? {})
  const { folder, projectFolder } = page.skills ?? {}
  const skills = placeOf(world, scope, { file: folder, projectFile: projectFolder })
  return [
    ...hookPieces(world, scope, page),
    ...mcpPieces(world, scope, page),
    ...(instructions === undefined ? [] : [snippetPiece({ path: instructions, world })]),
    ...(skills === undefined ? [] : skillPieces({ folder: skills, world })),
  ]
}

/** A harness that has no file for hooks can still run commands: its user is told which. */
function commandsToRun(world: SetupWorld, scope: Scope, page: Page): readonly string[] {
  if (placeOf(world, scope, page.hooks ?? {}) !== undefined) return []
  return hookWords(page).map(
    ([hook, word]) => `Let ${page.title ?? page.name} run at its ${hook}: ${hookCommand(GENERIC, world, word)}`,
  )
}

/** What a page of JSON says of a harness that we have no code for. Without a page there is nothing to install. */
export const genericSetup: HarnessSetup = {
  id: GENERIC,
  name: 'Generic',
  scopes: ['user', 'project'],
  usesHttp: false,
  takesPage: true,
  isPresent: () => false,
  pieces: (world, scope) => (world.page === undefined ? [] : piecesOf(world, scope, world.page)),
  remainingSteps: (world, scope) => (world.page === undefined ? [] : commandsToRun(world, scope, world.page)),
  settingsFiles: (world) =>
    (['user', 'project'] as const).flatMap((scope) => placeOf(world, scope, world.page?.hooks ?? {}) ?? []),
  findSilencer: () => undefined,
}
