import { createRemoteAgentDoor } from '../client/remote-agent-api.ts'
import { createRemoteContinuity } from '../client/remote-continuity.ts'
import type { Config } from '../kernel/config.ts'
import { loadConfig } from '../platform/config.ts'
import { homeOf, withWholeHome } from '../platform/base/home.ts'
import { removeAbandonedScratch } from '../platform/scratch-dir.ts'
import { builtFile } from './shared/built-files.ts'
import type { CliContext, CliIo } from './shared/command.ts'
import { refuseWithoutConfig } from './shared/daemon-access.ts'

export interface Surroundings {
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  readonly io: CliIo
}

export function createContext({ env: given, cwd, io }: Surroundings): CliContext {
  const env = withWholeHome(given)
  const home = homeOf(env)
  removeAbandonedScratch(home)
  let config: Config | undefined
  const context: CliContext = {
    env,
    cwd,
    home,
    io,
    // Read by whoever needs it: what puts things right or takes them away must not fail for a file that is broken.
    get config() {
      config ??= loadConfig({ home, env, cwd }).config
      return config
    },
    // Made for whoever asks: most commands that need no daemon must not fail for want of its bundle.
    async continuity() {
      await refuseWithoutConfig(context)
      return createRemoteContinuity({ home, env, script: builtFile('daemon.js') })
    },
    async door() {
      await refuseWithoutConfig(context)
      return createRemoteAgentDoor({ home, env, script: builtFile('daemon.js') })
    },
  }
  return context
}
