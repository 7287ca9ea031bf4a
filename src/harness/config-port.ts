import {
  applyInsertions,
  findValue,
  insertChildren,
  parseSettings,
  revertInsertions,
  type SettingsEdit,
  styleOf,
} from './settings-text.ts'

/** Fixes the daemon's port in our own configuration text, which must not name one yet. */
export function addPort(text: string, port: number, path: string): SettingsEdit {
  const root = parseSettings(text, path)
  if (root === undefined) {
    const insertion = { offset: text.length, text: `${JSON.stringify({ daemon: { port } }, undefined, 2)}\n` }
    return { text: applyInsertions(text, [insertion]), insertions: [insertion], created: [] }
  }
  const daemon = findValue(root, 'daemon')
  const existing = findValue(daemon, 'port')
  if (existing !== undefined) return { text, insertions: [], created: [] }
  const style = styleOf(text, root)
  const insertion =
    daemon?.type === 'object'
      ? insertChildren(text, daemon, [{ key: 'port', value: port }], style)
      : insertChildren(text, root, [{ key: 'daemon', value: { port } }], style)
  return { text: applyInsertions(text, [insertion]), insertions: [insertion], created: [] }
}

/** The text without the port we put in; as it is where that can no longer be told apart from the user's own writing. */
export function removePort(text: string, edit: Pick<SettingsEdit, 'insertions'>): string {
  const reverted = revertInsertions(text, edit.insertions)
  const without = reverted ?? edit.insertions.reduce((result, { text: added }) => result.replace(added, () => ''), text)
  try {
    parseSettings(without, 'the configuration')
    return without
  } catch {
    // Edited around: a fixed port does no harm, a broken configuration would.
    return text
  }
}
