import { HoldfastError } from '../../kernel/errors.ts'
import {
  applyInsertions,
  findValue,
  type Insertion,
  insertChildren,
  parseSettings,
  revertInsertions,
  type TextEdit,
  detectStyle,
} from '../contract/settings-text.ts'

/** Sets the daemon's port in our own configuration text, which must not name one yet. */
export function addPort(text: string, port: number, path: string): TextEdit {
  const root = parseSettings(text, path)
  if (root === undefined) {
    const insertion = { offset: text.length, text: `${JSON.stringify({ daemon: { port } }, undefined, 2)}\n` }
    return { text: applyInsertions(text, [insertion]), insertions: [insertion], created: [] }
  }
  const daemon = findValue(root, 'daemon')
  const existing = findValue(daemon, 'port')
  if (existing !== undefined) return { text, insertions: [], created: [] }
  const style = detectStyle(text, root)
  const insertion =
    daemon?.type === 'object'
      ? insertChildren(text, daemon, [{ key: 'port', value: port }], style)
      : insertChildren(text, root, [{ key: 'daemon', value: { port } }], style)
  return { text: applyInsertions(text, [insertion]), insertions: [insertion], created: [] }
}

/** The text without the port that we added. Unchanged where the port cannot be separated from the user's edits; undefined where it cannot be found at all. */
export function removePort(text: string, { insertions }: Pick<TextEdit, 'insertions'>): string | undefined {
  const without = revertInsertions(text, insertions) ?? withoutFirst(text, insertions)
  // A broken text does not get worse.
  if (!isReadable(text)) return without
  // A fixed port does no harm, a broken configuration would.
  return without !== undefined && isReadable(without) ? without : text
}

/** Undefined unless each occurs exactly once. */
function withoutFirst(text: string, insertions: readonly Insertion[]): string | undefined {
  let rest = text
  for (const { text: added } of insertions) {
    if (added === '' || rest.split(added).length !== 2) return undefined
    rest = rest.replace(added, () => '')
  }
  return rest
}

function isReadable(text: string): boolean {
  try {
    parseSettings(text, 'the configuration')
    return true
  } catch (thrown) {
    if (thrown instanceof HoldfastError) return false
    throw thrown
  }
}
