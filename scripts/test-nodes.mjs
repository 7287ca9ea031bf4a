// npm run test:nodes [versions…]: packs the product, installs the package as a user would (no scripts, no development
// dependencies) and plays the demo on each Node it promises to run on.
import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { MAJORS, nodeBinary } from './node-binaries.mjs'
import { closingLine, exitCodeOf } from './run-vitest.mjs'
import { ensureBuilt, ensureInstalled, main, npm, SetupError } from './setup.mjs'

function pack(into) {
  const packed = npm(['pack', '--ignore-scripts', '--silent', '--pack-destination', into], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const tarball = readdirSync(into).find((name) => name.endsWith('.tgz'))
  if (packed.status !== 0 || tarball === undefined) throw new SetupError('npm pack failed.')
  return join(into, tarball)
}

function expect(condition, what) {
  if (!condition) throw new Error(what)
}

const QUIET = ['--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund', '--loglevel=error']

/** As the documentation says, with a prefix of its own: `npm install -g <tarball>`. */
function installTarball(tarball, prefix) {
  mkdirSync(prefix, { recursive: true })
  const { status } = npm(['install', '-g', '--prefix', prefix, ...QUIET, tarball], {
    cwd: prefix,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  expect(status === 0, 'installing the packed product failed')
  return join(prefix, ...(process.platform === 'win32' ? [] : ['bin']), 'holdfast')
}

/** Hooks survive an upgrade of the package, fail in no client while it is gone, and are removed byte for byte. */
function upgrade(tarball, prefix, scratch) {
  const holdfast = join(prefix, 'bin', 'holdfast')
  const claude = join(scratch, 'claude')
  const project = join(scratch, 'project')
  for (const folder of [claude, project]) mkdirSync(folder)
  const settings = join(claude, 'settings.json')
  const before = '{ "permissions": {} }'
  writeFileSync(settings, before)
  const env = { ...process.env, HOME: scratch, CLAUDE_CONFIG_DIR: claude, HOLDFAST_HOME: join(scratch, 'home') }
  // As the patient tests do: what is asked here is whether the hook works, not how fast.
  env.HOLDFAST_HOOK_BUDGET_MS = '20000'
  const run = (...words) => {
    const { status, stdout, stderr } = spawnSync(holdfast, words, { env, cwd: project, encoding: 'utf8' })
    expect(status === 0, `holdfast ${words.join(' ')} failed: ${stdout}${stderr}`)
    return stdout
  }
  const start = (session) => {
    const [{ hooks }] = JSON.parse(readFileSync(settings, 'utf8')).hooks.SessionStart
    const { command, args = [] } = hooks[0]
    const input = JSON.stringify({
      session_id: session,
      cwd: project,
      source: 'startup',
      hook_event_name: 'SessionStart',
    })
    const words = [command, ...args.map((word) => `'${word}'`)].join(' ')
    const { status, stdout, stderr } = spawnSync('sh', ['-c', words], { env, cwd: project, input, encoding: 'utf8' })
    // While the package is gone, the shell says so on stderr, which a client does not show of a hook that ends with 0.
    const isQuiet = session === 'meanwhile' ? stdout === '' : stderr === ''
    expect(status === 0 && isQuiet, `the hook of ${session} ended with ${status}: ${stdout}${stderr}`)
  }
  run('init', '--harness', 'claude-code', '--yes')
  expect(existsSync(join(prefix, 'share', 'man', 'man1', 'holdfast.1')), 'npm installed no man page')
  start('before')
  npm(['uninstall', '-g', '--prefix', prefix, 'holdfast'], { cwd: prefix, stdio: 'ignore' })
  expect(!existsSync(holdfast), 'npm did not remove the program')
  expect(!existsSync(join(prefix, 'share', 'man', 'man1', 'holdfast.1')), 'npm did not remove the man page')
  start('meanwhile')
  installTarball(tarball, prefix)
  start('after')
  const keys = JSON.parse(run('sessions', 'list', '--json')).map(({ key }) => key)
  expect(keys.includes('before') && keys.includes('after'), `the sessions are ${keys.join(', ')}`)
  run('uninstall', '--all', '--yes', '--verify')
  expect(readFileSync(settings, 'utf8') === before, 'the settings are not what they were')
  run('daemon', 'stop')
}

/** The demo is the smoke test: real hooks, a checkpoint, a kill -9 of agent and daemon, a recovery, a clean stop. */
function smoke(binary, holdfast, scratch) {
  const env = {
    ...process.env,
    PATH: `${dirname(binary)}${delimiter}${process.env.PATH}`,
    HOME: scratch,
    TMPDIR: scratch,
    HOLDFAST_HOME: join(scratch, 'holdfast-home'),
  }
  const run = (...words) =>
    spawnSync(binary, [realpathSync(holdfast), ...words], { env, cwd: scratch, encoding: 'utf8', timeout: 120_000 })

  const version = run('version', '--json')
  expect(version.status === 0, `version failed: ${version.stderr}`)
  const demo = run('demo', '--json')
  expect(demo.status === 0, `demo failed: ${demo.stdout}${demo.stderr}`)
  const story = JSON.parse(demo.stdout)
  expect(story.recovery.text.includes('## Session Recovery Context'), 'the demo recovered nothing')
  expect(demo.stderr === '', `the demo wrote to stderr: ${demo.stderr}`)
  return JSON.parse(version.stdout).node
}

await main(() => {
  ensureInstalled()
  ensureBuilt()
  const majors = process.argv.length > 2 ? process.argv.slice(2) : MAJORS
  const work = mkdtempSync(join(realpathSync(tmpdir()), 'holdfast-nodes-'))
  const counts = { passed: 0, failed: 0, skipped: 0 }
  try {
    const tarball = pack(work)
    const prefix = join(work, 'product')
    const holdfast = installTarball(tarball, prefix)
    for (const major of majors) {
      try {
        const scratch = mkdtempSync(join(work, `run-${major}-`))
        console.log(`ok      Node ${smoke(nodeBinary(major), holdfast, scratch)}`)
        counts.passed += 1
      } catch (error) {
        console.log(`FAILED  Node ${major}: ${error.message}`)
        counts.failed += 1
      }
    }
    if (process.platform !== 'win32')
      try {
        upgrade(tarball, prefix, mkdtempSync(join(work, 'upgrade-')))
        console.log('ok      hooks survive an upgrade of the package')
        counts.passed += 1
      } catch (error) {
        console.log(`FAILED  upgrade: ${error.message}`)
        counts.failed += 1
      }
  } finally {
    rmSync(work, { recursive: true, force: true, maxRetries: 3 })
  }
  console.log(closingLine(counts))
  return exitCodeOf(counts)
})
