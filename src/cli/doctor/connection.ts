import { inspect, type EditState, needsInit, type EditReport } from '../../install/inspect.ts'
import { listEdits, restorePorts, readStoredDescriptor } from '../../install/installation.ts'
import type { Installation } from '../../install/manifest.ts'
import { describeMissingProgram, findMissingPrograms, type MissingProgram } from '../../install/missing-programs.ts'
import { type EditKind, EDIT_KINDS } from '../../install/contract/settings-edit.ts'
import { readSettingsFile } from '../../install/edits/settings-file.ts'
import type { HarnessSetup, HookReach, SetupPorts, Scope } from '../../install/contract/setup.ts'
import { type Check, fail, ok, warn } from './checks.ts'
import { count, printable } from '../shared/output.ts'
import { findSetup } from '../../harness/registry.ts'
import { existsSync } from 'node:fs'
import { quoteShellWord } from '../../kernel/shell/command-line.ts'

/** All settings edits of one kind in the same state. */
export interface EditGroup {
  readonly kind: EditKind
  readonly state: EditState
  readonly paths: readonly string[]
  readonly lacks?: readonly string[]
  readonly detail?: string
}

function groupEdits(reports: readonly EditReport[]): readonly EditGroup[] {
  const groups = new Map<string, EditReport[]>()
  for (const report of reports) {
    const key = `${report.kind} ${report.state}`
    groups.set(key, [...(groups.get(key) ?? []), report])
  }
  return [...groups.values()]
    .flatMap((same) => {
      const [first] = same
      if (first === undefined) return []
      const { id: _id, path: _path, ...facts } = first
      return [{ ...facts, paths: same.map(({ path }) => path) }]
    })
    .sort((a, b) => EDIT_KINDS.indexOf(a.kind) - EDIT_KINDS.indexOf(b.kind))
}

const STATE_TEXT: Readonly<Record<EditState, string>> = {
  installed: 'up to date',
  outdated: 'from an earlier version',
  altered: 'changed since Holdfast wrote it',
  missing: 'deleted since Holdfast wrote it',
  'not-installed': 'not installed: the connecting version did not have it',
  'not-ours': 'replaced by something that Holdfast did not write',
  'left-out': 'not added',
  unreadable: 'cannot be read',
}

function describeState({ state, lacks, detail }: EditGroup): string {
  return detail ?? `${STATE_TEXT[state]}${lacks === undefined ? '' : `, without ${lacks.join(', ')}`}`
}

/** How to repair a connection, as part of a sentence. */
export function describeRenewal(
  { harness, scope, cwd }: Pick<Installation, 'harness' | 'scope' | 'cwd'>,
  setup: Pick<HarnessSetup, 'scopes'> | undefined,
): string {
  const usual = setup?.scopes[0]
  const words = `--harness ${harness}${scope === usual && cwd === undefined ? '' : ` --scope ${scope}`}`
  if (cwd === undefined) return `run \`holdfast init ${words}\``
  if (existsSync(cwd)) return `run \`holdfast init ${words}\` in ${cwd}`
  return `${cwd} no longer exists; \`holdfast uninstall --harness ${harness} --project ${quoteShellWord(cwd)}\` removes its record`
}

/** The state of one connection to a harness; part of `status --json`. */
export interface ConnectionReport {
  readonly harness: string
  /** The name of the descriptor, for a generic harness. */
  readonly page?: string
  readonly scope: Scope
  /** The project, for a scope within one. */
  readonly cwd?: string
  /** The version that connected it. */
  readonly version: string
  readonly files: readonly string[]
  readonly pieces: readonly EditGroup[]
  /** Something that this version installs is missing or outdated. */
  readonly needsInit: boolean
  /** Missing programs that its entries call. */
  readonly missing: readonly MissingProgram[]
}

export async function inspectConnection(record: Installation, ports: SetupPorts): Promise<ConnectionReport> {
  const { harness, scope, cwd, version, files } = record
  const setup = await findSetup(harness)
  const reports = setup === undefined ? [] : inspect(setup, ports, { scope, record })
  const paths = files.map(({ path }) => path)
  const page = readStoredDescriptor(record)
  return {
    harness,
    ...(page === undefined ? {} : { page: page.name }),
    scope,
    ...(cwd === undefined ? {} : { cwd }),
    version,
    files: paths,
    pieces: groupEdits(reports),
    needsInit: needsInit(reports),
    missing: findMissingPrograms([record]),
  }
}

/** The kinds that are up to date on one line, and a line for each other one. */
export async function describeConnection(connected: ConnectionReport): Promise<readonly string[]> {
  const { harness, page, scope, files, version, pieces, missing } = connected
  const upToDate = pieces.filter(({ state }) => state === 'installed').map(({ kind }) => kind)
  const others = pieces.filter(({ state }) => state !== 'installed' && state !== 'left-out')
  return [
    `${harness}${page === undefined ? '' : ` ${page}`} (${scope}): ${upToDate.join(', ') || 'nothing'} (${printable(files[0] ?? '')})`,
    ...missing.map(
      (program) => `  ${printable(describeMissingProgram(program))}; \`holdfast doctor --fix\` repairs it`,
    ),
    ...others
      .filter(({ kind }) => !missing.some((program) => program.kind === kind))
      .map((group) => `  ${group.kind}: ${describeState(group)} (${printable(group.paths[0] ?? '')})`),
    ...(connected.needsInit && missing.length === 0
      ? [`  connected by version ${version}; ${printable(describeRenewal(connected, await findSetup(harness)))}`]
      : []),
  ]
}

/** The records of a harness; one that is undefined when it was never connected. */
export function findRecords(
  setup: HarnessSetup,
  records: readonly Installation[],
): readonly (Installation | undefined)[] {
  const known = records.filter((record) => record.harness === setup.id)
  return known.length > 0 ? known : [undefined]
}

/** A harness and its record in the manifest, if it was ever connected. */
export interface Connection {
  readonly setup: HarnessSetup
  readonly ports: SetupPorts
  readonly record?: Installation | undefined
}

const GOOD_STATES: readonly EditState[] = ['installed', 'left-out']

/** Without hooks or plugin nothing is recorded. */
function isVital(kind: EditKind): boolean {
  return kind === 'hooks' || kind === 'plugin'
}

export function checkEdits({ setup, ports, record }: Connection): readonly Check[] {
  const scope = record?.scope ?? setup.scopes[0] ?? 'user'
  const renewal = describeRenewal(record ?? { harness: setup.id, scope }, setup)
  const missing = record === undefined ? [] : findMissingPrograms([record])
  const again = `${renewal.charAt(0).toUpperCase()}${renewal.slice(1)}.`
  return groupEdits(inspect(setup, ports, { scope, record })).map((group) => {
    const { kind, state, paths } = group
    const subject = `${setup.id} ${kind}`
    const gone = missing.find((program) => program.kind === kind)
    if (gone !== undefined) {
      const detail = `${gone.settings}: ${describeMissingProgram(gone)}`
      const advice = 'Holdfast or Node was moved, deleted or reinstalled. Run `holdfast doctor --fix`.'
      return kind === 'hooks' && gone.program.endsWith('/node')
        ? warn(subject, detail, advice)
        : fail(subject, detail, advice)
    }
    const where = paths.length === 1 ? paths[0] : `${count(paths.length, 'file')}, the first ${paths[0]}`
    const detail = `${where}: ${describeState(group)}`
    if (GOOD_STATES.includes(state)) return ok(subject, detail)
    if (state === 'unreadable')
      return fail(subject, detail, 'Fix the file; Holdfast does not change a file that it cannot parse.')
    if (state === 'not-ours')
      return warn(
        subject,
        detail,
        'If it is not Holdfast under another name, rename it, then run `holdfast init` again.',
      )
    if (state === 'altered' && kind !== 'mcp' && !isVital(kind))
      return warn(subject, detail, 'Your version stays. To restore the original, delete it and run `holdfast init`.')
    const isMissing = state === 'missing' || state === 'not-installed' || group.lacks !== undefined
    return isMissing && isVital(kind) ? fail(subject, detail, again) : warn(subject, detail, again)
  })
}

/** The edits through which the harness calls Holdfast, with the text of their file. */
export function findHookReaches({ setup, ports, record }: Connection): readonly { reach: HookReach; text: string }[] {
  const scope = record?.scope ?? setup.scopes[0] ?? 'user'
  return listEdits(setup, restorePorts(ports, record), { scope }).flatMap(({ id, path, reach }) => {
    if (reach === undefined) return []
    const { text } = readSettingsFile(record?.files.find((file) => file.piece === id)?.path ?? path)
    return text === undefined ? [] : [{ reach, text }]
  })
}
