import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { root } from './sources.mjs'

/** Where real clients and other Node versions are kept between runs: outside the tree, and not in the scratch home. */
export function testCache(env = process.env) {
  return env.HOLDFAST_TEST_CACHE || join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'holdfast-test')
}

/** The caller's environment without anything that says where their own Holdfast, harness or repository is. */
function testEnvironment(scratch) {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(HOLDFAST_|CLAUDE|GIT_|CONTEXT_DB_PATH|XDG_)/.test(name),
  )
  const home = join(scratch, 'home')
  mkdirSync(home)
  return {
    // A suite that installs a client needs the registry and the cache that the person set up for npm.
    npm_config_userconfig: join(homedir(), '.npmrc'),
    npm_config_cache: join(homedir(), '.npm'),
    ...Object.fromEntries(kept),
    HOME: home,
    USERPROFILE: home,
    TMPDIR: scratch,
    TEMP: scratch,
    TMP: scratch,
    HOLDFAST_TEST_CACHE: testCache(),
    HOLDFAST_TEST_COUNTS: join(scratch, 'counts.json'),
  }
}

/** Vitest takes every word for a file of its own: words before the first option narrow the folder instead of adding to it. */
export function within(folder, args) {
  const firstOption = args.findIndex((arg) => arg.startsWith('-'))
  const words = firstOption < 0 ? args : args.slice(0, firstOption)
  const files = words.map((word) => (word.startsWith(folder) ? word : `${folder}${word}`))
  return [...(files.length === 0 ? [folder] : files), ...args.slice(words.length)]
}

function runNode(prefix, args, env) {
  const [command, ...rest] = [...prefix, process.execPath, ...args]
  return new Promise((resolve, reject) => {
    const child = spawn(command, rest, { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] })
    const forward = (signal) => child.kill(signal)
    process.on('SIGINT', forward).on('SIGTERM', forward)
    child.on('error', reject)
    child.on('close', (code) => {
      process.off('SIGINT', forward).off('SIGTERM', forward)
      resolve(code ?? 1)
    })
  })
}

function readCounts(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    // Vitest ended before it could count: that is one failure by itself.
    return { passed: 0, failed: 0, skipped: 0, errors: 1 }
  }
}

/** Processes that a test started in its own scratch folder and did not end. Linux only: elsewhere nothing is known. */
function leftRunning(scratch) {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        if (!readFileSync(`/proc/${pid}/environ`, 'utf8').includes(scratch)) return []
        return [
          { pid: Number(pid), command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() },
        ]
      } catch {
        // Gone meanwhile, or another user's.
        return []
      }
    })
    .filter(({ command }) => command !== '')
}

/** A guardian exits once the process that it watches has ended, which may be after the last test. */
const ENDING_MS = 20_000

async function endLeftovers(scratch, endingMs) {
  let leftovers = leftRunning(scratch)
  for (const untilMs = Date.now() + endingMs; leftovers.length > 0 && Date.now() < untilMs; ) {
    await setTimeout(200)
    leftovers = leftRunning(scratch)
  }
  for (const { pid, command } of leftovers) {
    console.error(`A test left a process behind: ${pid} ${command}`)
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It ended between the look and the signal.
    }
  }
  return leftovers.length
}

/**
 * Runs vitest in a scratch home and temp folder that are gone afterwards. What goes wrong outside a test (a file that
 * does not load, an unhandled rejection, a process left running) counts as a failure. `prefix` is put before the command
 * (to run it in a namespace, say), `extraEnv` into its environment. After `endingMs` a process that still runs was left.
 */
export async function runVitest({
  config = 'vitest.config.ts',
  args,
  prefix = [],
  extraEnv = {},
  endingMs = ENDING_MS,
}) {
  const scratch = mkdtempSync(join(realpathSync(tmpdir()), 'holdfast-test-'))
  // Others may pass through: the suite's PostgreSQL refuses to run as root, so it runs as another user.
  chmodSync(scratch, 0o755)
  try {
    const env = { ...testEnvironment(scratch), ...extraEnv }
    const code = await runNode(
      prefix,
      [
        join(root, 'node_modules/vitest/vitest.mjs'),
        'run',
        `--config=${config}`,
        '--reporter=default',
        `--reporter=${join(root, 'scripts/count-reporter.mjs')}`,
        ...args,
      ],
      env,
    )
    const counts = readCounts(env.HOLDFAST_TEST_COUNTS)
    const failed = counts.failed + counts.errors + (await endLeftovers(scratch, endingMs))
    return { ...counts, failed: code !== 0 && failed === 0 ? 1 : failed }
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** The line that scripts read: always the last. */
export function closingLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}

/** 0 only when something ran and nothing failed. */
export function exitCodeOf({ passed, failed }) {
  return failed === 0 && passed > 0 ? 0 : 1
}
