import { findFreePort, findHookToken } from '../harness/daemon-address.ts'
import { piecesOf } from '../harness/installation.ts'
import { isReadableByOthers } from '../harness/settings-file.ts'
import type { HarnessSetup, HttpWiring, Scope, SetupWorld } from '../harness/setup.ts'
import { HIDDEN_TOKEN } from './change-diff.ts'
import type { CommandInput } from './command.ts'

interface Wiring {
  readonly http?: HttpWiring
  readonly fixPort: boolean
  /** How hooks reach the daemon, where there is a choice. */
  readonly why?: string
}

/** Straight calls to the daemon need a port that stays and a token in the settings: only where nobody else reads those. */
export async function wiringFor(
  setup: HarnessSetup,
  world: SetupWorld,
  scope: Scope,
  input: CommandInput,
): Promise<Wiring> {
  const { options, context } = input
  const none = (why: string): Wiring => ({ fixPort: false, why })
  const path = piecesOf(setup, world, { scope }).find((piece) => piece.kind === 'hooks')?.path
  if (!setup.usesHttp || path === undefined) return { fixPort: false }
  if (options.http === false) return none('every hook runs the launcher')
  if (scope === 'project')
    return none('every hook runs the launcher: project settings are shared, and a token must not be')
  if (options.http !== true && isReadableByOthers(path))
    return none(`every hook runs the launcher: other users can read ${path}, and a token must not be there`)
  const configured = context.config.daemon.port
  const port = configured === 0 ? await findFreePort() : configured
  // Made only once there is a yes: a refusal leaves nothing behind.
  const token = findHookToken(context.home) ?? HIDDEN_TOKEN
  return { http: { port, token }, fixPort: configured === 0, why: `tool hooks call the daemon on port ${port}` }
}
