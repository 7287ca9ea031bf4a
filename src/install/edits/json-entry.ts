import type { EntryEdit, EditKind } from '../contract/settings-edit.ts'
import { findProperty, findValue, parseSettings, removeChild } from '../contract/settings-text.ts'
import type { SetupPorts } from '../contract/setup.ts'
import {
  buildMcpServer,
  isOurMcpEntry,
  MCP_SERVER,
  type McpServerCommand,
  mcpReach,
  readMcpServer,
} from './mcp-server.ts'
import {
  addAt,
  containerName,
  nodeAt,
  type JsonLocation,
  removeOwn,
  getValue,
  withoutEmptied,
} from './json-location.ts'

interface JsonEntry {
  readonly id: string
  readonly kind: EditKind
  readonly path: string
  /** The keys that lead to the container from the root; created where they are missing. */
  readonly at: readonly string[]
  readonly value: unknown
  /** Whether a value is one that this version or an older one writes. */
  readonly isOurs: (value: unknown) => boolean
  readonly lockPath?: string
  /** How this harness writes an MCP entry, where it is not the usual form. */
  readonly readServer?: (value: unknown) => McpServerCommand | undefined
}

function listPrefixes(at: readonly string[]): readonly string[] {
  return at.map((_, index) => containerName(at.slice(0, index + 1)))
}

/** One property of an object in a JSON file, such as an MCP server among others. */
export function jsonEntryEdit(options: JsonEntry & { readonly key: string }): EntryEdit {
  const { at, key, value, isOurs, readServer = readMcpServer, ...common } = options
  const { path } = common
  const place: JsonLocation = { at, path }
  const find = (text: string) => {
    const found = getValue(findValue(nodeAt(parseSettings(text, path), at), key))
    return new Map(found !== undefined && isOurs(found) ? [[key, [found]]] : [])
  }
  const byShape = (text: string, created: readonly string[]): string => {
    const container = nodeAt(parseSettings(text, path), at)
    const property = findProperty(container, key)
    if (container === undefined || property === undefined || !isOurs(getValue(property.children?.[1]))) return text
    return withoutEmptied(removeChild(text, container, property), created, { path })
  }
  return {
    ...common,
    shape: 'entry',
    add: (text) => addAt(text, place, [{ key, value }]),
    remove: (text, edit) =>
      removeOwn(text, {
        path,
        edit,
        byShape: (rest) => byShape(rest, edit?.created ?? listPrefixes(at)),
        holdsOurs: (rest) => find(rest).size > 0,
      }),
    find,
    ...(common.kind === 'mcp' ? { reach: mcpReach(find, readServer) } : {}),
    findObstacle(text) {
      const found = getValue(findValue(nodeAt(parseSettings(text, path), at), key))
      if (found === undefined || isOurs(found)) return undefined
      return `has an entry of its own at \`${[...at, key].join('.')}\``
    },
  }
}

/** Our MCP server among others in a JSON file; by default under `mcpServers`, started with `command` and `args`. */
export function mcpEntryEdit(options: {
  readonly ports: SetupPorts
  readonly path: string
  readonly at?: readonly string[]
  readonly value?: unknown
  readonly lockPath?: string
}): EntryEdit {
  const { ports, path, at = ['mcpServers'], value = buildMcpServer(ports), lockPath } = options
  return jsonEntryEdit({ id: 'mcp', kind: 'mcp', path, at, key: MCP_SERVER, value, lockPath, isOurs: isOurMcpEntry })
}
