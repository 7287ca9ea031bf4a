import { type HarnessDescriptor, readDescriptor } from '../harness/descriptor/descriptor.ts'
import { type Installation, readManifest, watchManifest, type WrittenFile } from './manifest.ts'
import type { EditKind, SettingsEdit } from './contract/settings-edit.ts'
import { resolveRealPath } from './edits/settings-file.ts'
import type { HarnessSetup, HttpWiring, Scope, SetupPorts } from './contract/setup.ts'
import { sep } from 'node:path'
import type { Config } from '../kernel/config.ts'
import type { Home } from '../platform/base/home.ts'

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`)
}

function isFor({ cwd }: Installation, worktree: string): boolean {
  return cwd === undefined || isWithin(worktree, cwd) || isWithin(cwd, worktree)
}

/**
 * Whether `init` gave agents of a harness our MCP tools in this worktree. Undefined where something else connected it
 * (a plugin, a person) or nothing is known.
 */
export function createInstalledTools(
  home: Pick<Home, 'manifestFile'>,
): (harness: string, worktree: string) => boolean | undefined {
  const manifest = watchManifest(home, (installations) => installations)
  return (harness, worktree) => {
    try {
      const here = manifest().filter((known) => known.harness === harness && isFor(known, worktree))
      return here.length === 0 ? undefined : here.some(({ files }) => files.some(({ role }) => role === 'mcp'))
    } catch {
      // `doctor` reports what is wrong with the file; recovery does not depend on it.
      return undefined
    }
  }
}

/** Which MCP tools are listed now, by `mcp.tools`: `auto` means all where `init --with` installed instructions that use them. */
export function createToolChoice(
  tools: Config['mcp']['tools'],
  home: Pick<Home, 'manifestFile'>,
): () => 'everyday' | 'all' {
  if (tools !== 'auto') return () => tools
  const manifest = watchManifest(home, (installations) =>
    installations.some(({ files }) => files.some(({ role }) => USES_ALL_TOOLS.has(role))),
  )
  return () => {
    try {
      return manifest() ? 'all' : 'everyday'
    } catch {
      // `doctor` reports what is wrong with the file.
      return 'everyday'
    }
  }
}

const USES_ALL_TOOLS = new Set<WrittenFile['role']>(['skills', 'commands', 'snippet'])

/** An installation from before there were bootstrap lines says nothing about them, and they are written only on request. */
export function isLeftOut({ leftOut, asked = [] }: Installation, kind: EditKind): boolean {
  return leftOut.includes(kind) || (kind === 'bootstrap' && !asked.includes(kind))
}

/** The edits with the real paths that the manifest has. */
export function listEdits(
  setup: HarnessSetup,
  ports: SetupPorts,
  { scope, http }: { readonly scope: Scope; readonly http?: HttpWiring },
): readonly SettingsEdit[] {
  return setup.edits(ports, scope, http).map((edit) => ({ ...edit, path: resolveRealPath(edit.path) }))
}

/** The manifest's record of this harness in this scope, here. */
export function findInstallation(setup: HarnessSetup, ports: SetupPorts, scope: Scope): Installation | undefined {
  const paths = new Set(listEdits(setup, ports, { scope }).map((edit) => edit.path))
  return readManifest(ports.home).find((known) => {
    if (known.harness !== setup.id || known.scope !== scope) return false
    if (setup.takesDescriptor === true)
      return (
        readStoredDescriptor(known)?.name === ports.descriptor?.name && (scope === 'user' || known.cwd === ports.cwd)
      )
    if (scope !== 'user' && known.cwd !== undefined) return known.cwd === ports.cwd
    return known.files.some((file) => paths.has(file.path))
  })
}

/** Whether two records describe one installation, though its files may have changed. */
export function isSameInstallation(a: Installation, b: Installation): boolean {
  if (a.harness !== b.harness || a.scope !== b.scope || a.cwd !== b.cwd) return false
  if (readStoredDescriptor(a)?.name !== readStoredDescriptor(b)?.name) return false
  const pathsOf = ({ files }: Installation) => files.filter(({ role }) => role !== 'config').map(({ path }) => path)
  const paths = new Set(pathsOf(a))
  const others = pathsOf(b)
  return (paths.size === 0 && others.length === 0) || others.some((path) => paths.has(path))
}

export function isSameRecord(a: Installation, b: Installation | undefined): boolean {
  return b !== undefined && JSON.stringify(a) === JSON.stringify(b)
}

/** The descriptor of an installation that has one. */
export function readStoredDescriptor({ page }: Installation): HarnessDescriptor | undefined {
  return page === undefined ? undefined : readDescriptor(page).descriptor
}

/** The ports for an installation: with its project and descriptor, wherever the command runs now. */
export function restorePorts(ports: SetupPorts, record: Installation | undefined): SetupPorts {
  const page = record === undefined ? undefined : readStoredDescriptor(record)
  return {
    ...ports,
    ...(record?.cwd === undefined ? {} : { cwd: record.cwd }),
    ...(page === undefined ? {} : { descriptor: page }),
  }
}
