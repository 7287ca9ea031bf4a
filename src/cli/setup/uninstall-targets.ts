import { HoldfastError } from '../../kernel/errors.ts'
import { pageOf } from '../../install/installation.ts'
import { type Installation, readManifest } from '../../install/manifest.ts'
import { realPathOf } from '../../install/edits/settings-file.ts'
import type { HarnessSetup, Scope, SetupWorld } from '../../install/contract/setup.ts'
import type { CommandInput } from '../shared/command.ts'
import { pageOption } from './descriptor-option.ts'
import { projectOption } from '../shared/project-option.ts'
import { chosenSetups, namedSetups, scopeOf, setupWorldOf } from './setup-ports.ts'

export interface UninstallTarget {
  readonly setup: HarnessSetup
  readonly scope: Scope
  readonly record?: Installation
}

/** The folder that `--project` names, links followed; undefined where the user's projects are all meant. */
function projectOf({ options, context }: CommandInput): string | undefined {
  const { cwd } = projectOption(options, context.cwd)
  if (cwd === undefined) return undefined
  if (scopeOf(options) === 'user')
    throw new HoldfastError('invalid-input', '`--project` and `--scope user` say different things.', {
      hint: 'The user scope is about no project: leave one of the two out.',
    })
  return realPathOf(cwd)
}

/** What the manifest knows of a harness, wherever it is; without a record, and only of one that was named, the files where ours would be. */
function targetsOfOne(setup: HarnessSetup, world: SetupWorld, input: CommandInput): readonly UninstallTarget[] {
  const { page } = world
  const wanted = scopeOf(input.options)
  const project = projectOf(input)
  const known = readManifest(world.home).filter(
    (record) =>
      record.harness === setup.id &&
      (wanted === undefined || record.scope === wanted) &&
      (project === undefined || (record.cwd !== undefined && realPathOf(record.cwd) === project)) &&
      (page === undefined || pageOf(record)?.name === page.name),
  )
  if (known.length > 0) return known.map((record) => ({ setup, scope: record.scope, record }))
  if (!namedSetups(input.options).includes(setup)) return []
  const scope = wanted ?? (project === undefined ? 'user' : 'project')
  if (setup.scopes.includes(scope)) return [{ setup, scope }]
  throw new HoldfastError('unsupported', `${setup.name} has no place for the scope ${scope}.`, {
    hint: `It has ${setup.scopes.join(', ')}.`,
  })
}

function nothingConnected(world: SetupWorld, input: CommandInput): HoldfastError {
  const known = readManifest(world.home)
  const anyway = 'Name one with `--harness` to look for entries of ours anyway.'
  if (known.length === 0) return new HoldfastError('not-found', 'No harness is connected.', { hint: anyway })
  const project = projectOf(input)
  const scope = scopeOf(input.options)
  const where = `${scope === undefined ? '' : ` with the scope ${scope}`}${project === undefined ? '' : ` in ${project}`}`
  const places = known.map((record) => `${record.harness} (${record.scope}${record.cwd ? `, ${record.cwd}` : ''})`)
  return new HoldfastError('not-found', `Nothing is connected${where}.`, {
    hint: `Connected: ${[...new Set(places)].join('; ')}. ${anyway}`,
  })
}

/** What is to be disconnected, one by one. Refuses where that is nothing. */
export function targetsOf(input: CommandInput) {
  const page = pageOption(input)
  const cwd = projectOf(input)
  const world: SetupWorld = {
    ...setupWorldOf(input.context),
    ...(page === undefined ? {} : { page }),
    ...(cwd === undefined ? {} : { cwd }),
  }
  const connected = new Set(readManifest(world.home).map((record) => record.harness))
  const chosen = chosenSetups(input.options, (setup) => connected.has(setup.id))
  const targets = chosen.flatMap((setup) => targetsOfOne(setup, world, input))
  if (targets.length === 0) throw nothingConnected(world, input)
  return { world, targets }
}
