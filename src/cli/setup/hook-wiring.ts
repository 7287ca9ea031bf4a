import { findFreePort, findHookToken } from '../../install/daemon-address.ts'
import { findInstallation, piecesOf } from '../../install/installation.ts'
import { isReadableByOthers } from '../../install/edits/settings-file.ts'
import type { HarnessSetup, HttpWiring, Scope, SetupWorld } from '../../install/contract/setup.ts'
import { HIDDEN_TOKEN } from './change-diff.ts'
import type { CommandInput } from '../shared/command.ts'

interface Wiring {
  readonly http?: HttpWiring
  readonly fixPort: boolean
  /** How hooks reach the daemon, where there is a choice. */
  readonly why?: string
}

/**
 * Every hook runs the launcher unless the user asks for straight calls to the daemon, at this install or an earlier one: a call to a
 * daemon that is stopped waits for the harness's own timeout (ADR 0026). They need a port that stays and a token in the settings: only
 * where nobody else reads those.
 */
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
  const isWanted = options.http ?? findInstallation(setup, world, scope)?.http ?? false
  if (isWanted !== true) return none('every hook runs the launcher')
  if (scope === 'project')
    return none('every hook runs the launcher: project settings are shared, and a token must not be')
  if (isReadableByOthers(path))
    return none(`every hook runs the launcher: other users can read ${path}, and a token must not be there`)
  const configured = context.config.daemon.port
  const port = configured === 0 ? await findFreePort() : configured
  // Made only once there is a yes: a refusal leaves nothing behind.
  const token = findHookToken(context.home) ?? HIDDEN_TOKEN
  return { http: { port, token }, fixPort: configured === 0, why: `tool hooks call the daemon on port ${port}` }
}
