import { isDeepStrictEqual } from 'node:util'
import { parse, stringify, type TomlTable } from 'smol-toml'
import { isObject, type JsonObject } from '../../kernel/json-shape.ts'
import type { EntryEdit, EditKind } from '../contract/settings-edit.ts'
import { type McpServerCommand, mcpReach, readMcpServer } from './mcp-server.ts'
import { applyInsertions, refuseSettings, revertInsertions, type TextEdit } from '../contract/settings-text.ts'

const OPEN = '# holdfast: begin. Written by `holdfast init`, taken out by `holdfast uninstall`.'
const CLOSE = '# holdfast: end.'
const BOM = '\uFEFF'

interface TomlEntry {
  readonly id: string
  readonly kind: EditKind
  readonly path: string
  /** The keys of the table's heading. */
  readonly table: readonly string[]
  readonly value: JsonObject
  readonly isOurs: (value: unknown) => boolean
  /** How this harness writes an MCP entry, where it is not the usual form. */
  readonly readServer?: (value: unknown) => McpServerCommand | undefined
}

function read(text: string, path: string): TomlTable {
  try {
    return parse(text.startsWith(BOM) ? text.slice(1) : text)
  } catch (cause) {
    throw refuseSettings(path, 'is not TOML', cause)
  }
}

function at(value: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), value)
}

/** The value without the table; containers that only led to it are removed too. */
function without(value: JsonObject, [key, ...rest]: readonly string[]): JsonObject {
  if (key === undefined || !(key in value)) return value
  const { [key]: inner, ...others } = value
  if (rest.length === 0 || !isObject(inner)) return others
  const left = without(inner, rest)
  return Object.keys(left).length === 0 ? others : { ...others, [key]: left }
}

function createHeadingPattern(table: readonly string[]): RegExp {
  const key = (name: string) => `(?:"${name}"|'${name}'|${name})`.replaceAll('-', '\\-')
  return new RegExp(`^\\s*\\[\\s*${table.map(key).join('\\s*\\.\\s*')}\\s*(?:\\.|\\])`)
}

/** Removes the lines of our table and its subtables, with our marks. */
function withoutLines(text: string, table: readonly string[]): string {
  const heading = createHeadingPattern(table)
  let isOurs = false
  return text
    .split(/(?<=\n)/)
    .filter((line) => {
      if (/^\s*\[/.test(line)) isOurs = heading.test(line)
      const visible = line.trim()
      const isMark = visible === OPEN || visible === CLOSE
      if (visible === CLOSE) isOurs = false
      return !isOurs && !isMark
    })
    .join('')
}

const detectNewline = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n')

/** The variant with a newline is for a file that had none at its end and got more lines after ours. */
function candidates(text: string, edit: Omit<TextEdit, 'text'> | undefined, table: readonly string[]): string[] {
  const insertions = edit?.insertions ?? []
  const reverted = insertions.length === 0 ? undefined : revertInsertions(text, insertions)
  const verbatim = insertions.find((insertion) => text.includes(insertion.text))
  return [
    ...(reverted === undefined ? [] : [reverted]),
    ...(verbatim === undefined ? [] : ['', detectNewline(text)].map((rest) => text.replace(verbatim.text, () => rest))),
    withoutLines(text, table),
  ]
}

/** Our table at the end of a TOML file. The result is parsed again: the rest of the file must keep its meaning. */
export function tomlTableEdit({ table, value, isOurs, readServer = readMcpServer, ...common }: TomlEntry): EntryEdit {
  const { path } = common
  const name = table.join('.')
  const nested = table.toReversed().reduce<JsonObject>((inner, key) => ({ [key]: inner }), value)
  const find = (text: string) => {
    const found = at(read(text, path), table)
    return new Map(found !== undefined && isOurs(found) ? [[name, [found]]] : [])
  }
  return {
    ...common,
    shape: 'entry',
    add(text) {
      const before = read(text, path)
      const eol = detectNewline(text)
      const gap = text === '' || text === BOM ? '' : text.endsWith('\n') ? eol : `${eol}${eol}`
      const block = `${OPEN}\n${stringify(nested).trim()}\n${CLOSE}\n`.replaceAll('\n', eol)
      const insertions = [{ offset: text.length, text: gap + block }]
      const after = applyInsertions(text, insertions)
      const written = read(after, path)
      if (
        !isDeepStrictEqual(at(written, table), at(parse(stringify(nested)), table)) ||
        at(before, table) !== undefined
      )
        throw refuseSettings(path, `cannot take a table \`${name}\``)
      return { text: after, insertions, created: [] }
    },
    remove(text, edit) {
      const now = read(text, path)
      if (!isOurs(at(now, table))) return text
      const wanted = without(now, table)
      const found = candidates(text, edit, table).find((candidate) => {
        try {
          return (
            isDeepStrictEqual(plain(without(read(candidate, path), table)), plain(wanted)) &&
            at(read(candidate, path), table) === undefined
          )
        } catch {
          // What no longer parses is not a candidate.
          return false
        }
      })
      if (found !== undefined) return found
      throw refuseSettings(path, `contains \`${name}\` in a form that cannot be removed automatically`)
    },
    find,
    ...(common.kind === 'mcp' ? { reach: mcpReach(find, readServer) } : {}),
    findObstacle(text) {
      const found = at(read(text, path), table)
      return found === undefined || isOurs(found) ? undefined : `has an entry of its own at \`${name}\``
    },
  }
}

/** TOML's tables have no prototype, which matters for the comparison. */
function plain(value: unknown): unknown {
  return structuredClone(value)
}
