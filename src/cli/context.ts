import { createRemoteAgentApi, createRemoteContinuity, createRemoteSync } from '../client/remote-continuity.ts'
import type { Config } from '../kernel/config.ts'
import { loadConfig } from '../platform/config.ts'
import { resolveHome, withWholeHome } from '../platform/base/home.ts'
import { removeAbandonedScratch } from '../platform/scratch-dir.ts'
import { builtFile } from './shared/built-files.ts'
import type { CliContext, CliIo } from './shared/command.ts'
import { refuseWithoutConfig } from './shared/daemon-access.ts'

export interface CliEnvironment {
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  readonly io: CliIo
}

export function createContext({ env: given, cwd, io }: CliEnvironment): CliContext {
  const env = withWholeHome(given)
  const home = resolveHome(env)
  removeAbandonedScratch(home)
  let config: Config | undefined
  const context: CliContext = {
    env,
    cwd,
    home,
    io,
    // Read lazily: `doctor` and `uninstall` must work when the file is broken.
    get config() {
      config ??= loadConfig({ home, env, cwd }).config
      return config
    },
    // Created on demand: commands that need no daemon must work without its bundle.
    async continuity() {
      await refuseWithoutConfig(context)
      return createRemoteContinuity({ home, env, script: builtFile('daemon.js') })
    },
    async agentApi() {
      await refuseWithoutConfig(context)
      return createRemoteAgentApi({ home, env, script: builtFile('daemon.js') })
    },
    async sync() {
      await refuseWithoutConfig(context)
      return createRemoteSync({ home, env, script: builtFile('daemon.js') })
    },
  }
  return context
}
