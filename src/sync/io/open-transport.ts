import { join } from 'node:path'
import { HoldfastError } from '../../kernel/errors.ts'
import type { Home } from '../../platform/base/home.ts'
import { programPath } from '../../platform/process/programs.ts'
import type { SpaceTransport } from '../space-transport.ts'
import type { SyncSpace } from '../use-cases.ts'
import { parseSsh } from './address.ts'
import { createFolderTree } from './folder-tree.ts'
import { openGitTree } from './git-tree.ts'
import { syncDir } from './key-files.ts'
import { createSshTree } from './ssh-tree.ts'
import { createTreeTransport } from './tree-transport.ts'

interface TransportOptions {
  /** The transport of the team that this home has joined. */
  readonly openTeam: () => SpaceTransport
  readonly home: Pick<Home, 'root'>
  /** For ssh, which uses the user's own keys. */
  readonly env: NodeJS.ProcessEnv
  readonly machine: string
}

/** Opened for one exchange. */
export async function openTransport(
  { kind, address, id }: Pick<SyncSpace, 'kind' | 'address' | 'id'>,
  { home, env, machine, openTeam }: TransportOptions,
): Promise<SpaceTransport> {
  switch (kind) {
    case 'folder':
      return createTreeTransport(createFolderTree(address))
    case 'ssh': {
      const program = programPath('ssh')
      if (program === undefined) throw new HoldfastError('unsupported', 'ssh is not installed.')
      return createTreeTransport(createSshTree({ address: parseSsh(address), program, env }))
    }
    case 'team':
      return openTeam()
    case 'git':
      return createTreeTransport(await openGitTree({ url: address, dir: join(syncDir(home), 'git', id), machine }))
  }
}
