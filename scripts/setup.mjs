// What `npm start`, `npm test` and the other entry points do by themselves before their own work. Node's modules only:
// this runs before anything is installed.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readBuildStamp, root, sourceHash } from './sources.mjs'

const lockfile = join(root, 'package-lock.json')
const modules = join(root, 'node_modules')
const installStamp = join(modules, '.holdfast-install')

/** A failure that the user can fix: reported without a stack. */
export class SetupError extends Error {}

/** Runs an entry point's work, and turns a SetupError into words and exit code 1. */
export async function main(work) {
  try {
    checkNode()
    process.exitCode = (await work()) ?? 0
  } catch (error) {
    if (!(error instanceof SetupError)) throw error
    console.error(error.message)
    process.exitCode = 1
  }
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  throw new SetupError(`Node ${process.versions.node} is too old: Holdfast needs 20.19 or newer.`)
}

function lockHash() {
  return createHash('sha256').update(readFileSync(lockfile)).digest('hex')
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    // Missing or cut short: both mean that it tells us nothing.
    return undefined
  }
}

/** Whether npm's own record of node_modules has every package of the lockfile that is not optional. */
function isInstalledAsLocked() {
  const locked = readJson(lockfile)?.packages
  const installed = readJson(join(modules, '.package-lock.json'))?.packages
  if (!locked || !installed) return false
  return Object.entries(locked).every(
    ([path, entry]) =>
      path === '' || entry.optional || entry.peer || entry.link || installed[path]?.version === entry.version,
  )
}

export function npm(args, options = {}) {
  // The npm that started us, so that a person's choice of npm is kept; a bare `npm` otherwise.
  const program = process.env.npm_execpath
  const [command, prefix] = program?.endsWith('.js') ? [process.execPath, [program]] : ['npm', []]
  return spawnSync(command, [...prefix, ...args], {
    cwd: root,
    shell: process.platform === 'win32' && command === 'npm',
    ...options,
  })
}

/** Installs the locked dependencies when they are missing or others are there. */
export function ensureInstalled() {
  const hash = lockHash()
  if (existsSync(installStamp) && readFileSync(installStamp, 'utf8') === hash) return
  if (!isInstalledAsLocked()) {
    const startedAt = performance.now()
    console.log('Installing dependencies…')
    const { status, error } = npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    if (error || status !== 0) {
      throw new SetupError(
        `Installing the dependencies failed${error ? `: ${error.message}` : ''}. ` +
          'Check the network and the npm registry, then run the same command again.',
      )
    }
    console.log(`Installed in ${((performance.now() - startedAt) / 1000).toFixed(0)} s.`)
  }
  writeFileSync(installStamp, hash)
}

/** Builds when the sources are not the ones dist/ was made from; true when it did. */
export function ensureBuilt() {
  if (readBuildStamp()?.sourceHash === sourceHash()) return false
  console.log('Building…')
  const { status } = spawnSync(process.execPath, [join(root, 'scripts/build.mjs'), '--quiet'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (status !== 0) throw new SetupError('The build failed; what it said stands above.')
  return true
}
