import type { Installation } from '../../install/manifest.ts'
import { findMissingPrograms, isNeededByHooks } from '../../install/missing-programs.ts'
import { systemClock } from '../../platform/base/clock.ts'
import type { Home } from '../../platform/base/home.ts'
import { saveHookGap } from '../../platform/no-node.ts'
import { findFreePort, findHookToken } from '../../install/daemon-address.ts'
import { findInstallation, listEdits } from '../../install/installation.ts'
import { isReadableByOthers } from '../../install/edits/settings-file.ts'
import type { HarnessSetup, HttpWiring, Scope, SetupPorts } from '../../install/contract/setup.ts'
import { HIDDEN_TOKEN } from './change-diff.ts'
import type { CommandInput } from '../shared/command.ts'

interface HookTransport {
  readonly http?: HttpWiring
  readonly fixPort: boolean
  /** How hooks reach the daemon, and why; absent when there is no choice. */
  readonly why?: string
}

/**
 * Hooks run the launcher unless the user chose HTTP hooks now or at an earlier install: an HTTP hook waits for the harness's own timeout
 * when the daemon is stopped (ADR 0026). HTTP hooks need a fixed port and a token in the settings file, so only the user may read it.
 */
export async function chooseWiring(
  setup: HarnessSetup,
  ports: SetupPorts,
  scope: Scope,
  input: CommandInput,
): Promise<HookTransport> {
  const { options, context } = input
  const none = (why: string): HookTransport => ({ fixPort: false, why })
  const path = listEdits(setup, ports, { scope }).find((piece) => piece.kind === 'hooks')?.path
  if (!setup.usesHttp || path === undefined) return { fixPort: false }
  const isWanted = options.http ?? findInstallation(setup, ports, scope)?.http ?? false
  if (isWanted !== true) return none('using command hooks')
  if (scope === 'project')
    return none('using command hooks: project settings are shared, so the HTTP token is not stored in them')
  if (isReadableByOthers(path))
    return none(`using command hooks: ${path} is readable by other users, so the HTTP token is not stored in it`)
  const configured = context.config.daemon.port
  const port = configured === 0 ? await findFreePort() : configured
  // The token is created only after the user agrees.
  const token = findHookToken(context.home) ?? HIDDEN_TOKEN
  return { http: { port, token }, fixPort: configured === 0, why: `using HTTP hooks on port ${port}` }
}

/** Called before an install repairs hooks that called a missing program: the next session is informed that work may be missing. */
export function recordGap(home: Home, previous: Installation | undefined): void {
  const [missing] = previous === undefined ? [] : findMissingPrograms([previous]).filter(isNeededByHooks)
  if (missing === undefined) return
  saveHookGap(
    home,
    `Holdfast: sessions of ${missing.harness} were not recorded until ${systemClock.now()}, because its hooks named ${missing.program}, which did not exist. What was said and done since its last recorded session may be missing from what Holdfast knows.`,
  )
}
