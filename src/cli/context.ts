import { createRemoteAgentDoor } from '../client/remote-agent-door.ts'
import { createRemoteContinuity } from '../client/remote-continuity.ts'
import { loadConfig } from '../platform/config.ts'
import { homeOf } from '../platform/home.ts'
import { builtFile } from './built-files.ts'
import type { CliContext, CliIo } from './command.ts'

export interface Surroundings {
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  readonly io: CliIo
}

export function createContext({ env, cwd, io }: Surroundings): CliContext {
  const home = homeOf(env)
  return {
    env,
    cwd,
    home,
    io,
    config: loadConfig({ home, env, cwd }).config,
    // Made for whoever asks: most commands that need no daemon must not fail for want of its bundle.
    continuity: async () => createRemoteContinuity({ home, env, script: builtFile('daemon.js') }),
    door: async () => createRemoteAgentDoor({ home, env, script: builtFile('daemon.js') }),
  }
}
