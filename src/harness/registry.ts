import { HoldfastError } from '../kernel/errors.ts'
import type { Home } from '../platform/base/home.ts'
import { claudeCode } from './claude-code/index.ts'
import { codex } from './codex/index.ts'
import type { Connector } from './contract/connector.ts'
import { cursor } from './cursor/index.ts'
import { geminiCli } from './gemini-cli/index.ts'
import { createGeneric, generic } from './generic/index.ts'
import { keptPages } from './generic/stored-descriptors.ts'
import { openClaw } from './openclaw/index.ts'
import { openCode } from './opencode/index.ts'
import { roo } from './roo/index.ts'
import { windsurf } from './windsurf/index.ts'

/** Every harness we have code for. */
export const connectors = [
  claudeCode,
  codex,
  geminiCli,
  openCode,
  openClaw,
  cursor,
  windsurf,
  roo,
  generic,
] as const satisfies readonly Connector[]

/** Refuses an unknown id, naming the known ones; there is no default harness. */
export function getConnector(id: string): Connector {
  const connector = connectors.find((known) => known.id === id)
  if (connector !== undefined) return connector
  throw new HoldfastError('invalid-input', `There is no harness ${JSON.stringify(id.slice(0, 100))}.`, {
    hint: `Known: ${connectors.map((known) => known.id).join(', ')}.`,
  })
}

/** As `getConnector`, with the pages that are connected here: they say what the payloads of their harnesses mean. */
export function connectorsAt(home: Pick<Home, 'manifestFile'>): (id: string) => Connector {
  const withPages = createGeneric(keptPages(home))
  return (id) => (id === withPages.id ? withPages : getConnector(id))
}
