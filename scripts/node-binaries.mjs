import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { testCache } from './run-vitest.mjs'
import { npm, SetupError } from './setup.mjs'

/** The major versions of Node that the product supports, oldest first. */
export const MAJORS = ['20', '22', '24', '26']

/** The binary alone, from npm: the `node` package would need an install script to fetch the same one. */
export function nodeBinary(major) {
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  const folder = join(testCache(), `node-${major}`)
  const binary = join(folder, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  if (!existsSync(binary)) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{"private":true}\n')
    const installed = npm(
      ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', `${name}@${major}`],
      {
        cwd: folder,
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    )
    if (installed.status !== 0) throw new SetupError(`Could not get Node ${major} from npm (${name}@${major}).`)
  }
  return binary
}
