import { inspect, needsInit } from '../../install/inspect.ts'
import { pageOf } from '../../install/installation.ts'
import type { Installation } from '../../install/manifest.ts'
import type { Scope, SetupWorld } from '../../install/contract/setup.ts'
import { setups } from '../../harness/setups.ts'
import { printable } from '../shared/output.ts'
import { groupPieces, type PieceGroup, tell } from '../setup/edit-summary.ts'
import { wayToRenew } from './way-to-renew.ts'

/** One connection to a harness as it stands. */
export interface Connected {
  readonly harness: string
  /** Which one, of those that a page describes. */
  readonly page?: string
  readonly scope: Scope
  /** The project, for a scope that is about one. */
  readonly cwd?: string
  /** The version that connected it. */
  readonly version: string
  readonly files: readonly string[]
  readonly pieces: readonly PieceGroup[]
  /** Something that this version installs is not there, or not as it should be. */
  readonly needsInit: boolean
}

export function connectedOf(record: Installation, world: SetupWorld): Connected {
  const { harness, scope, cwd, version, files } = record
  const setup = setups.find((known) => known.id === harness)
  const reports = setup === undefined ? [] : inspect(setup, world, { scope, record })
  const paths = files.map(({ path }) => path)
  const page = pageOf(record)
  return {
    harness,
    ...(page === undefined ? {} : { page: page.name }),
    scope,
    ...(cwd === undefined ? {} : { cwd }),
    version,
    files: paths,
    pieces: groupPieces(reports),
    needsInit: needsInit(reports),
  }
}

/** Pieces that are as they should be by name, and one sentence about each of the others. */
export function connectedLines(connected: Connected): readonly string[] {
  const { harness, page, scope, files, version, pieces } = connected
  const well = pieces.filter(({ state }) => state === 'installed').map(({ kind }) => kind)
  const rest = pieces.filter(({ state }) => state !== 'installed' && state !== 'left-out')
  return [
    `${harness}${page === undefined ? '' : ` ${page}`} (${scope}): ${well.join(', ') || 'nothing'} (${printable(files[0] ?? '')})`,
    ...rest.map((group) => `  ${group.kind}: ${tell(group)} (${printable(group.paths[0] ?? '')})`),
    ...(connected.needsInit ? [`  connected by version ${version}; ${printable(wayToRenew(connected))}`] : []),
  ]
}
