import { HoldfastError } from '../core/errors.ts'
import { loadConfig } from '../platform/config.ts'
import { homeOf } from '../platform/home.ts'
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
    continuity: async () => {
      throw new HoldfastError('daemon-unavailable', 'The daemon cannot be reached.')
    },
  }
}
