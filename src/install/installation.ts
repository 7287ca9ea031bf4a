import { type Page, readPage } from '../harness/descriptor/descriptor.ts'
import { type Installation, readManifest } from './manifest.ts'
import type { Piece } from './contract/settings-edit.ts'
import { realPathOf } from './edits/settings-file.ts'
import type { HarnessSetup, HttpWiring, Scope, SetupWorld } from './contract/setup.ts'

/** The pieces with their paths as the manifest has them: links followed. */
export function piecesOf(
  setup: HarnessSetup,
  world: SetupWorld,
  { scope, http }: { readonly scope: Scope; readonly http?: HttpWiring },
): readonly Piece[] {
  return setup.pieces(world, scope, http).map((piece) => ({ ...piece, path: realPathOf(piece.path) }))
}

/** What the manifest knows of this harness in this scope, here. */
export function findInstallation(setup: HarnessSetup, world: SetupWorld, scope: Scope): Installation | undefined {
  const paths = new Set(piecesOf(setup, world, { scope }).map((piece) => piece.path))
  return readManifest(world.home).find((known) => {
    if (known.harness !== setup.id || known.scope !== scope) return false
    if (setup.takesPage === true)
      return pageOf(known)?.name === world.page?.name && (scope === 'user' || known.cwd === world.cwd)
    if (scope !== 'user' && known.cwd !== undefined) return known.cwd === world.cwd
    return known.files.some((file) => paths.has(file.path))
  })
}

/** Whether two records are of one installation, though the files that they name may have become others since. */
export function isSameInstallation(a: Installation, b: Installation): boolean {
  if (a.harness !== b.harness || a.scope !== b.scope || a.cwd !== b.cwd) return false
  if (pageOf(a)?.name !== pageOf(b)?.name) return false
  const pathsOf = ({ files }: Installation) => files.filter(({ role }) => role !== 'config').map(({ path }) => path)
  const paths = new Set(pathsOf(a))
  const others = pathsOf(b)
  return (paths.size === 0 && others.length === 0) || others.some((path) => paths.has(path))
}

/** Whether two records say the same, to the letter. */
export function isSameRecord(a: Installation, b: Installation | undefined): boolean {
  return b !== undefined && JSON.stringify(a) === JSON.stringify(b)
}

/** What described the harness, for an installation that a page was given for. */
export function pageOf({ page }: Installation): Page | undefined {
  return page === undefined ? undefined : readPage(page).page
}

/** The world as it was for an installation: its project and its page, wherever the command runs now. */
export function worldOf(world: SetupWorld, record: Installation | undefined): SetupWorld {
  const page = record === undefined ? undefined : pageOf(record)
  return {
    ...world,
    ...(record?.cwd === undefined ? {} : { cwd: record.cwd }),
    ...(page === undefined ? {} : { page }),
  }
}
