import { DEFAULT_CONFIG } from '../core/config.ts'
import { HoldfastError } from '../core/errors.ts'
import { homeOf } from '../platform/home.ts'
import type { CliContext, CliIo } from './command.ts'

export interface Surroundings {
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  readonly io: CliIo
}

export async function createContext({ env, cwd, io }: Surroundings): Promise<CliContext> {
  const home = homeOf(env)
  return {
    env,
    cwd,
    home,
    io,
    config: DEFAULT_CONFIG,
    continuity: async () => {
      throw new HoldfastError('daemon-unavailable', 'The daemon cannot be reached.')
    },
  }
}
