import { inspect, needsInit } from '../harness/inspect.ts'
import { pageOf } from '../harness/installation.ts'
import type { Installation } from '../harness/manifest.ts'
import type { SetupWorld } from '../harness/setup.ts'
import { setups } from '../harness/setups.ts'
import { printable } from './output.ts'
import { groupPieces, type PieceGroup, tell } from './piece-summary.ts'

/** One connection to a harness as it stands. */
export interface Connected {
  readonly harness: string
  /** Which one, of those that a page describes. */
  readonly page?: string
  readonly scope: string
  /** The version that connected it. */
  readonly version: string
  readonly files: readonly string[]
  readonly pieces: readonly PieceGroup[]
  /** Something that this version installs is not there, or not as it should be. */
  readonly needsInit: boolean
}

export function connectedOf(record: Installation, world: SetupWorld): Connected {
  const { harness, scope, version, files } = record
  const setup = setups.find((known) => known.id === harness)
  const reports = setup === undefined ? [] : inspect(setup, world, { scope, record })
  const paths = files.map(({ path }) => path)
  const page = pageOf(record)
  return {
    harness,
    ...(page === undefined ? {} : { page: page.name }),
    scope,
    version,
    files: paths,
    pieces: groupPieces(reports),
    needsInit: needsInit(reports),
  }
}

/** Pieces that are as they should be by name, and one sentence about each of the others. */
export function connectedLines({
  harness,
  page,
  scope,
  files,
  version,
  pieces,
  needsInit: isStale,
}: Connected): readonly string[] {
  const well = pieces.filter(({ state }) => state === 'installed').map(({ kind }) => kind)
  const rest = pieces.filter(({ state }) => state !== 'installed' && state !== 'left-out')
  const again = `run \`holdfast init --harness ${harness}\``
  return [
    `${harness}${page === undefined ? '' : ` ${page}`} (${scope}): ${well.join(', ') || 'nothing'} (${printable(files[0] ?? '')})`,
    ...rest.map((group) => `  ${group.kind}: ${tell(group)} (${printable(group.paths[0] ?? '')})`),
    ...(isStale ? [`  connected by version ${version}; ${again}`] : []),
  ]
}
