import { inspect, type PieceState } from '../../install/inspect.ts'
import { piecesOf, worldOf } from '../../install/installation.ts'
import type { Installation } from '../../install/manifest.ts'
import type { PieceKind } from '../../install/contract/settings-edit.ts'
import { readSettingsFile } from '../../install/edits/settings-file.ts'
import type { HarnessSetup, HookReach, SetupWorld } from '../../install/contract/setup.ts'
import { type Check, fail, ok, warn } from './checks.ts'
import { count } from '../shared/output.ts'
import { groupPieces, tell } from '../setup/edit-summary.ts'
import { wayToRenew } from './way-to-renew.ts'

/** A harness, and what the manifest knows of it; nothing where it was never connected. */
export interface Connection {
  readonly setup: HarnessSetup
  readonly world: SetupWorld
  readonly record?: Installation | undefined
}

const STANDS_WELL: readonly PieceState[] = ['installed', 'left-out']

/** Without hooks or plugin nothing is kept; without the rest an agent only knows less. */
function isVital(kind: PieceKind): boolean {
  return kind === 'hooks' || kind === 'plugin'
}

export function checkPieces({ setup, world, record }: Connection): readonly Check[] {
  const scope = record?.scope ?? setup.scopes[0] ?? 'user'
  const way = wayToRenew(record ?? { harness: setup.id, scope })
  const again = `${way.charAt(0).toUpperCase()}${way.slice(1)}.`
  return groupPieces(inspect(setup, world, { scope, record })).map((group) => {
    const { kind, state, paths } = group
    const subject = `${setup.id} ${kind}`
    const where = paths.length === 1 ? paths[0] : `${count(paths.length, 'file')}, the first ${paths[0]}`
    const told = `${where}: ${tell(group)}`
    if (STANDS_WELL.includes(state)) return ok(subject, told)
    if (state === 'unreadable')
      return fail(subject, told, 'Correct the file; Holdfast does not touch what it cannot read.')
    if (state === 'not-ours')
      return warn(subject, told, 'Well if that is Holdfast too. Otherwise rename it, then run `holdfast init` again.')
    if (state === 'altered' && kind !== 'mcp' && !isVital(kind))
      return warn(subject, told, 'It stays so. To have ours again, delete it and run `holdfast init`.')
    const isAway = state === 'missing' || state === 'not-installed' || group.lacks !== undefined
    return isAway && isVital(kind) ? fail(subject, told, again) : warn(subject, told, again)
  })
}

/** The pieces by which the harness calls us, with the text that they stand in. */
export function reachesOf({ setup, world, record }: Connection): readonly { reach: HookReach; text: string }[] {
  const scope = record?.scope ?? setup.scopes[0] ?? 'user'
  return piecesOf(setup, worldOf(world, record), { scope }).flatMap(({ id, path, reach }) => {
    if (reach === undefined) return []
    const { text } = readSettingsFile(record?.files.find((file) => file.piece === id)?.path ?? path)
    return text === undefined ? [] : [{ reach, text }]
  })
}
