// Runs the official conformance suite against the built daemon, in both revisions, each with its baseline of expected
// failures. Needs a network the first time: the suite, and Node 22 for it, are installed into .scratch/.
// Usage: npm run build && node test/conformance/run.mjs
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTokenProxy } from './token-proxy.mjs'

const SUITE = '@modelcontextprotocol/conformance@0.2.0-alpha.12'
const NODE = '22.23.3'
const REVISIONS = ['2025-11-25', '2026-07-28']
const root = join(import.meta.dirname, '..', '..')
const suiteDir = join(root, '.scratch', 'conformance')
const needsNode = Number(process.versions.node.split('.')[0]) < 22
const nodePackage = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`

function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit', ...options })
  if (error) throw error
  return status
}

function installSuite() {
  const suite = join(suiteDir, 'node_modules', '@modelcontextprotocol', 'conformance')
  const node = join(suiteDir, 'node_modules', nodePackage, 'bin', 'node')
  if (!existsSync(suite) || (needsNode && !existsSync(node))) {
    mkdirSync(suiteDir, { recursive: true })
    writeFileSync(join(suiteDir, 'package.json'), '{ "private": true }\n')
    const wanted = [SUITE, ...(needsNode ? [`${nodePackage}@${NODE}`] : [])]
    const status = run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...wanted], { cwd: suiteDir })
    if (status !== 0) throw new Error('The conformance suite could not be installed.')
  }
  return { node: needsNode ? node : process.execPath, suite: join(suiteDir, 'node_modules', '.bin', 'conformance') }
}

async function main() {
  const { node, suite } = installSuite()
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-conformance-'))
  const home = join(dir, 'home')
  const env = { ...process.env, HOLDFAST_HOME: home }
  const holdfast = (...args) => run(process.execPath, [join(root, 'bin', 'holdfast'), ...args], { env })
  try {
    if (holdfast('daemon', 'start') !== 0) throw new Error('The daemon did not start.')
    const { port } = JSON.parse(readFileSync(join(home, 'run', 'endpoint.json'), 'utf8'))
    const proxy = await startTokenProxy({ port, token: readFileSync(join(home, 'token'), 'utf8').trim() })
    const failed = []
    for (const revision of REVISIONS) {
      const baseline = join(import.meta.dirname, `expected-failures-${revision}.yml`)
      const args = ['server', '--url', `http://127.0.0.1:${proxy.port}/mcp`, '--requirements', revision]
      if ((await runAsync(node, [suite, ...args, '--expected-failures', baseline], dir)) !== 0) failed.push(revision)
    }
    proxy.close()
    console.log(
      failed.length === 0
        ? 'conformance: as expected in both revisions'
        : `conformance: FAILED in ${failed.join(' and ')}`,
    )
    return failed.length === 0 ? 0 : 1
  } finally {
    holdfast('daemon', 'stop')
    rmSync(dir, { recursive: true, force: true })
  }
}

/** The proxy runs in this process, so the suite must not block it. */
async function runAsync(command, args, cwd) {
  const child = spawn(command, args, { cwd, stdio: 'inherit' })
  return new Promise((resolve, reject) => child.on('error', reject).on('exit', resolve))
}

process.exitCode = await main()
