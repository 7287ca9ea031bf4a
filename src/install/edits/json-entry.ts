import type { EntryPiece, PieceKind } from '../contract/settings-edit.ts'
import { findProperty, findValue, parseSettings, removeChild } from '../contract/settings-text.ts'
import { type McpServer, mcpReach, readMcpServer } from './mcp-server.ts'
import { addAt, containerName, nodeAt, type Place, takeOut, valueOf, withoutEmptied } from './json-place.ts'

interface JsonPiece {
  readonly id: string
  readonly kind: PieceKind
  readonly path: string
  /** The keys that lead to the container from the root; made where they are missing. */
  readonly at: readonly string[]
  readonly value: unknown
  /** Whether a value there is one that we write, in this version or an older one. */
  readonly isOurs: (value: unknown) => boolean
  readonly lockPath?: string
  /** How an MCP entry of this harness is read, where it is not as most write it. */
  readonly readServer?: (value: unknown) => McpServer | undefined
}

function prefixesOf(at: readonly string[]): readonly string[] {
  return at.map((_, index) => containerName(at.slice(0, index + 1)))
}

/** One property of an object in a JSON file, such as an MCP server among others. */
export function jsonEntryPiece(options: JsonPiece & { readonly key: string }): EntryPiece {
  const { at, key, value, isOurs, readServer = readMcpServer, ...piece } = options
  const { path } = piece
  const place: Place = { at, leaf: 'object', path }
  const find = (text: string) => {
    const found = valueOf(findValue(nodeAt(parseSettings(text, path), at), key))
    return new Map(found !== undefined && isOurs(found) ? [[key, [found]]] : [])
  }
  const byShape = (text: string, created: readonly string[]): string => {
    const container = nodeAt(parseSettings(text, path), at)
    const property = findProperty(container, key)
    if (container === undefined || property === undefined || !isOurs(valueOf(property.children?.[1]))) return text
    return withoutEmptied(removeChild(text, container, property), created, { path })
  }
  return {
    ...piece,
    shape: 'entry',
    add: (text) => addAt(text, place, [{ key, value }]),
    remove: (text, edit) =>
      takeOut(text, {
        path,
        edit,
        byShape: (rest) => byShape(rest, edit?.created ?? prefixesOf(at)),
        holdsOurs: (rest) => find(rest).size > 0,
      }),
    find,
    ...(piece.kind === 'mcp' ? { reach: mcpReach(find, readServer) } : {}),
    findObstacle(text) {
      const found = valueOf(findValue(nodeAt(parseSettings(text, path), at), key))
      if (found === undefined || isOurs(found)) return undefined
      return `has an entry of its own at \`${[...at, key].join('.')}\``
    },
  }
}

/** One element of a list in a JSON file, such as a plugin among others. */
export function jsonElementPiece({ at, value, isOurs, ...piece }: JsonPiece): EntryPiece {
  const { path } = piece
  const place: Place = { at, leaf: 'array', path }
  const elements = (text: string) => {
    const list = nodeAt(parseSettings(text, path), at)
    return { list, ours: list?.type === 'array' ? (list.children ?? []).filter((node) => isOurs(valueOf(node))) : [] }
  }
  const find = (text: string) => {
    const found = elements(text).ours.map(valueOf)
    return new Map(found.length === 0 ? [] : [[containerName(at), found]])
  }
  const byShape = (text: string, created: readonly string[]): string => {
    const { list, ours } = elements(text)
    const [first] = ours
    if (list === undefined || first === undefined) return withoutEmptied(text, created, { path, listDepth: at.length })
    return byShape(removeChild(text, list, first), created)
  }
  return {
    ...piece,
    shape: 'entry',
    add: (text) => addAt(text, place, [{ value }]),
    remove: (text, edit) =>
      takeOut(text, {
        path,
        edit,
        byShape: (rest) => (find(rest).size === 0 ? rest : byShape(rest, edit?.created ?? prefixesOf(at))),
        holdsOurs: (rest) => find(rest).size > 0,
      }),
    find,
  }
}
