import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { HoldfastError, getErrorMessage } from '../../kernel/errors.ts'
import { type HarnessDescriptor, parseDescriptor } from '../../harness/descriptor/descriptor.ts'
import { readStoredDescriptor, restorePorts } from '../../install/installation.ts'
import { type Installation, readManifest } from '../../install/manifest.ts'
import type { HarnessSetup, Scope, SetupPorts } from '../../install/contract/setup.ts'
import { textOption } from '../shared/arguments.ts'
import type { CommandInput } from '../shared/command.ts'

const MAX_DESCRIPTOR_CHARS = 200_000

function readDescriptorFile(path: string): HarnessDescriptor {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (cause) {
    throw new HoldfastError('not-found', `${path} cannot be read: ${getErrorMessage(cause)}.`, {
      hint: 'Give the JSON descriptor of your harness; docs/generic-harness.md has an example.',
      cause,
    })
  }
  if (text.length > MAX_DESCRIPTOR_CHARS)
    throw new HoldfastError(
      'too-large',
      `${path} has ${text.length} characters; a descriptor has at most ${MAX_DESCRIPTOR_CHARS}.`,
    )
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (cause) {
    throw new HoldfastError('invalid-input', `${path} is not JSON: ${getErrorMessage(cause)}.`, { cause })
  }
  return parseDescriptor(value, path)
}

/** The descriptor given with `--config`. */
export function descriptorOption({ options, context }: CommandInput): HarnessDescriptor | undefined {
  const file = textOption(options, 'config')
  return file === undefined ? undefined : readDescriptorFile(resolve(context.cwd, file))
}

export interface InstallTarget {
  readonly ports: SetupPorts
  /** The scope of an earlier connection. */
  readonly scope?: Scope
}

/** For a generic harness: the given descriptor, or each descriptor it was connected with before. */
export function findInstallTargets(
  setup: HarnessSetup,
  ports: SetupPorts,
  descriptor: HarnessDescriptor | undefined,
): readonly InstallTarget[] {
  if (setup.takesDescriptor !== true) return [{ ports }]
  if (descriptor !== undefined) return [{ ports: { ...ports, descriptor } }]
  const known = readManifest(ports.home).filter(
    (record) => record.harness === setup.id && readStoredDescriptor(record) !== undefined,
  )
  if (known.length > 0) return known.map((record) => ({ ports: restorePorts(ports, record), scope: record.scope }))
  throw new HoldfastError('invalid-input', `The harness ${setup.id} needs a JSON descriptor.`, {
    hint: `Use \`holdfast init --harness ${setup.id} --config FILE.json\`; docs/generic-harness.md has an example.`,
  })
}

const listPaths = ({ hooks, mcp, instructions, skills }: HarnessDescriptor): string =>
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

/** A descriptor with other paths would leave entries behind at the old ones. */
export function refuseMovedDescriptor({ descriptor }: SetupPorts, previous: Installation | undefined): void {
  const before = previous === undefined ? undefined : readStoredDescriptor(previous)
  if (descriptor === undefined || before === undefined || listPaths(descriptor) === listPaths(before)) return
  throw new HoldfastError('conflict', `${descriptor.name} is connected by a descriptor with other file paths.`, {
    hint: 'Run `holdfast uninstall --harness generic` first.',
  })
}

/** The harness's name, or the title in its descriptor. */
export function getDisplayName({ name }: HarnessSetup, { descriptor }: SetupPorts): string {
  return descriptor === undefined ? name : (descriptor.title ?? descriptor.name)
}
