import { HoldfastError } from '../kernel/errors.ts'
import type { HarnessSetup } from '../install/contract/setup.ts'
import type { WriterPreset } from '../kernel/digest-writer.ts'
import type { Session } from '../kernel/session.ts'
import type { Home } from '../platform/base/home.ts'
import { claudeCodeHarness } from './claude-code/index.ts'
import { codexHarness } from './codex/index.ts'
import type { Connector, Harness } from './contract/connector.ts'
import type { TranscriptFormat } from './contract/transcript-format.ts'
import { copilotHarness } from './copilot/index.ts'
import { cursorHarness } from './cursor/index.ts'
import { geminiCliHarness } from './gemini-cli/index.ts'
import { createDescriptorLookup, createGeneric, genericHarness } from './generic/index.ts'
import { openClawHarness } from './openclaw/index.ts'
import { openCodeHarness } from './opencode/index.ts'
import { rooHarness } from './roo/index.ts'
import { windsurfHarness } from './windsurf/index.ts'

/** Every harness that Holdfast has code for; everything about one is in its folder. */
export const harnesses: readonly Harness[] = [
  claudeCodeHarness,
  codexHarness,
  geminiCliHarness,
  openCodeHarness,
  openClawHarness,
  cursorHarness,
  windsurfHarness,
  rooHarness,
  genericHarness,
  copilotHarness,
]

export const connectors: readonly Connector[] = harnesses.flatMap(({ connector }) => connector ?? [])

function unknownHarness(message: string, known: readonly Harness[]): HoldfastError {
  return new HoldfastError('invalid-input', message, { hint: `Known: ${known.map(({ id }) => id).join(', ')}.` })
}

const quote = (id: string): string => JSON.stringify(id.slice(0, 100))

/** Throws for an unknown id: there is no default. */
export function getConnector(id: string): Connector {
  const connector = connectors.find((known) => known.id === id)
  if (connector !== undefined) return connector
  const known = harnesses.filter((harness) => harness.connector !== undefined)
  throw unknownHarness(`Unknown harness ${quote(id)}.`, known)
}

/** The presets of `digest.command`. */
export const writerPresets: readonly WriterPreset[] = harnesses.flatMap(({ writer }) => writer ?? [])

/** The words that open a session again; undefined for a harness without such a command. */
export function findResumeCommand(harness: string, sessionKey: string): readonly string[] | undefined {
  return harnesses.find(({ id }) => id === harness)?.resumeCommand?.(sessionKey)
}

/** Tokens that fit into the session's context: as its harness reported, or as its connector knows; undefined if unknown. */
export function getContextWindow({
  harness,
  model,
  contextWindowTokens,
}: Pick<Session, 'harness' | 'model' | 'contextWindowTokens'>): number | undefined {
  return contextWindowTokens ?? connectors.find(({ id }) => id === harness)?.contextWindowTokens?.(model)
}

/** As `getConnector`, with the descriptors that are connected in this home. */
export function createConnectorLookup(home: Pick<Home, 'manifestFile'>): (id: string) => Connector {
  const described = createGeneric(createDescriptorLookup(home))
  return (id) => (id === described.id ? described : getConnector(id))
}

export async function findSetup(id: string): Promise<HarnessSetup | undefined> {
  return (await harnesses.find((known) => known.id === id)?.loadSetup?.())?.setup
}

/** Throws for an unknown id. */
export async function getSetup(id: string): Promise<HarnessSetup> {
  const setup = await findSetup(id)
  if (setup !== undefined) return setup
  const known = harnesses.filter((harness) => harness.loadSetup !== undefined)
  throw unknownHarness(`Unknown harness ${quote(id)}.`, known)
}

export async function loadSetups(): Promise<readonly HarnessSetup[]> {
  const loaded = await Promise.all(harnesses.map(async (harness) => harness.loadSetup?.()))
  return loaded.flatMap((module) => module?.setup ?? [])
}

export function findFormat(harness: string): TranscriptFormat | undefined {
  return harnesses.find(({ id }) => id === harness)?.transcript
}

/** Throws for a harness whose transcripts cannot be read. */
export function getFormat(harness: string): TranscriptFormat {
  const format = findFormat(harness)
  if (format !== undefined) return format
  const known = harnesses.filter(({ transcript }) => transcript !== undefined)
  throw unknownHarness(`Transcripts of ${quote(harness)} cannot be read.`, known)
}

/** The harnesses whose sessions `holdfast import` finds by itself. */
export const importableHarnesses: readonly string[] = harnesses.flatMap(({ id, transcript }) =>
  transcript?.findHistory === undefined ? [] : [id],
)
