import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { count, printLine } from '../shared/output.ts'
import { getErrorMessage, HoldfastError } from '../../kernel/errors.ts'
import { readStoredDescriptor } from '../../install/installation.ts'
import { type Installation, readManifest } from '../../install/manifest.ts'
import { resolveRealPath } from '../../install/edits/settings-file.ts'
import type { HarnessSetup, Scope, SetupPorts } from '../../install/contract/setup.ts'
import type { CommandInput } from '../shared/command.ts'
import { descriptorOption } from './descriptor-option.ts'
import { isSet, projectOption } from '../shared/arguments.ts'
import { chooseSetups, namedSetups, parseScope, createSetupPorts } from './setup-ports.ts'

export interface UninstallTarget {
  readonly setup: HarnessSetup
  readonly scope: Scope
  readonly record?: Installation
}

/** The real path of the `--project` folder; undefined when all projects are meant. */
function findProject({ options, context }: CommandInput): string | undefined {
  const { cwd } = projectOption(options, context.cwd)
  if (cwd === undefined) return undefined
  if (parseScope(options) === 'user')
    throw new HoldfastError('invalid-input', '`--project` and `--scope user` cannot be combined.', {
      hint: 'The user scope does not belong to a project; leave one of them out.',
    })
  return resolveRealPath(cwd)
}

/** The recorded connections of a harness. Without a record, and only for a harness named with `--harness`, the default files. */
async function findHarnessTargets(
  setup: HarnessSetup,
  ports: SetupPorts,
  input: CommandInput,
): Promise<readonly UninstallTarget[]> {
  const { descriptor: page } = ports
  const wanted = parseScope(input.options)
  const project = findProject(input)
  const known = readManifest(ports.home).filter(
    (record) =>
      record.harness === setup.id &&
      (wanted === undefined || record.scope === wanted) &&
      (project === undefined || (record.cwd !== undefined && resolveRealPath(record.cwd) === project)) &&
      (page === undefined || readStoredDescriptor(record)?.name === page.name),
  )
  if (known.length > 0) return known.map((record) => ({ setup, scope: record.scope, record }))
  if (!(await namedSetups(input.options)).includes(setup)) return []
  const scope = wanted ?? (project === undefined ? 'user' : 'project')
  if (setup.scopes.includes(scope)) return [{ setup, scope }]
  throw new HoldfastError('unsupported', `${setup.name} does not support the scope ${scope}.`, {
    hint: `It supports ${setup.scopes.join(', ')}.`,
  })
}

function nothingConnected(ports: SetupPorts, input: CommandInput): HoldfastError {
  const known = readManifest(ports.home)
  const anyway = 'Use `--harness` to look for Holdfast entries anyway.'
  if (known.length === 0) return new HoldfastError('not-found', 'No harness is connected.', { hint: anyway })
  const project = findProject(input)
  const scope = parseScope(input.options)
  const where = `${scope === undefined ? '' : ` with the scope ${scope}`}${project === undefined ? '' : ` in ${project}`}`
  const locations = known.map((record) => `${record.harness} (${record.scope}${record.cwd ? `, ${record.cwd}` : ''})`)
  return new HoldfastError('not-found', `Nothing is connected${where}.`, {
    hint: `Connected: ${[...new Set(locations)].join('; ')}. ${anyway}`,
  })
}

/** The connections to remove. Throws when there are none. */
export async function findUninstallTargets(input: CommandInput) {
  const page = descriptorOption(input)
  const cwd = findProject(input)
  const ports: SetupPorts = {
    ...createSetupPorts(input.context),
    ...(page === undefined ? {} : { descriptor: page }),
    ...(cwd === undefined ? {} : { cwd }),
  }
  const connected = new Set(readManifest(ports.home).map((record) => record.harness))
  const chosen = await chooseSetups(input.options, connected)
  const targets = (await Promise.all(chosen.map((setup) => findHarnessTargets(setup, ports, input)))).flat()
  if (targets.length === 0) throw nothingConnected(ports, input)
  return { ports, targets }
}

/** Removes what this machine wrote where machines exchange records. An unreachable space is named. */
export async function leaveSpaces({ options, context }: CommandInput): Promise<void> {
  if (!existsSync(join(context.home.root, 'sync', 'keys.json'))) return
  const sync = await context.sync()
  for (const { id, address } of (await sync.syncStatus()).spaces) {
    try {
      const { removed } = await sync.removeSpace({ space: id })
      if (!isSet(options, 'json')) printLine(context.io, `Left ${address}: ${count(removed, 'file')} removed there.`)
    } catch (thrown) {
      context.io.err(`${address} still contains records of this machine: ${getErrorMessage(thrown)}\n`)
    }
  }
}
