import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { HoldfastError, messageOf } from '../../kernel/errors.ts'
import { type Page, parsePage } from '../../harness/descriptor/descriptor.ts'
import { pageOf, worldOf } from '../../install/installation.ts'
import { type Installation, readManifest } from '../../install/manifest.ts'
import type { HarnessSetup, Scope, SetupWorld } from '../../install/contract/setup.ts'
import { textOption } from '../shared/arguments.ts'
import type { CommandInput } from '../shared/command.ts'

const MAX_PAGE_CHARS = 200_000

function readPageFile(path: string): Page {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (cause) {
    throw new HoldfastError('not-found', `${path} cannot be read: ${messageOf(cause)}.`, {
      hint: 'Give the file that describes your harness; docs/generic-harness.md has one to begin with.',
      cause,
    })
  }
  if (text.length > MAX_PAGE_CHARS)
    throw new HoldfastError('too-large', `${path} has ${text.length} characters; a page has at most ${MAX_PAGE_CHARS}.`)
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (cause) {
    throw new HoldfastError('invalid-input', `${path} is not JSON: ${messageOf(cause)}.`, { cause })
  }
  return parsePage(value, path)
}

/** The page that `--config` names; undefined where none is. */
export function pageOption({ options, context }: CommandInput): Page | undefined {
  const file = textOption(options, 'config')
  return file === undefined ? undefined : readPageFile(resolve(context.cwd, file))
}

export interface Target {
  readonly world: SetupWorld
  /** As it was connected before; undefined where that is for the caller to say. */
  readonly scope?: Scope
}

/** What to connect a harness with: the page that was given, or each that it was connected with before. */
export function targetsFor(setup: HarnessSetup, world: SetupWorld, page: Page | undefined): readonly Target[] {
  if (setup.takesPage !== true) return [{ world }]
  if (page !== undefined) return [{ world: { ...world, page } }]
  const known = readManifest(world.home).filter((record) => record.harness === setup.id && pageOf(record) !== undefined)
  if (known.length > 0) return known.map((record) => ({ world: worldOf(world, record), scope: record.scope }))
  throw new HoldfastError('invalid-input', `Which harness ${setup.id} stands for has to be said by a page of JSON.`, {
    hint: `Give it: \`holdfast init --harness ${setup.id} --config FILE.json\`. docs/generic-harness.md has one to begin with.`,
  })
}

const placesOf = ({ hooks, mcp, instructions, skills }: Page): string =>
  JSON.stringify([
    hooks?.file,
    hooks?.projectFile,
    hooks?.style,
    mcp?.file,
    mcp?.projectFile,
    mcp?.at,
    instructions,
    skills,
  ])

/** A page that moved would leave behind what it wrote at its old places. */
export function refuseMovedPage({ page }: SetupWorld, previous: Installation | undefined): void {
  const before = previous === undefined ? undefined : pageOf(previous)
  if (page === undefined || before === undefined || placesOf(page) === placesOf(before)) return
  throw new HoldfastError('conflict', `${page.name} is connected by a page that names other files.`, {
    hint: 'Run `holdfast uninstall --harness generic` first: it takes out what the old page put there.',
  })
}

/** What a person calls the harness: a page has its own word for it. */
export function nameOf({ name }: HarnessSetup, { page }: SetupWorld): string {
  return page === undefined ? name : (page.title ?? page.name)
}
