import { closeSync, constants, openSync, writeSync, readFileSync, statSync, unlinkSync } from 'node:fs'
import type { Processes } from '../kernel/ports/ports.ts'
import { ensurePrivateDir, writeFileAtomic } from '../platform/files/atomic-file.ts'
import { systemClock, wallMs } from '../platform/base/clock.ts'
import { cheapStartedAt, isAliveCheaply } from '../platform/process/proc-stat.ts'
import { type Home, withWholeHome } from '../platform/base/home.ts'
import { currentFolder, pathOutsideProjects } from '../platform/process/programs.ts'
import { getErrorCode, isDiskFull } from '../platform/base/errno.ts'
import { PERMANENT_FAILURES } from '../platform/permanent-failures.ts'

/** The store may have changed elsewhere; a hook's event waits at most this long in the spool for the next attempt. */
const SUSPENDED_MS = 60_000

/** Without the schema of start-failure.ts, which a hook cannot load. */
function readFailure(file: string): { readonly code: string; readonly message: string } | undefined {
  const stored: unknown = JSON.parse(readFileSync(file, 'utf8'))
  if (typeof stored !== 'object' || stored === null || !('code' in stored) || !('message' in stored)) return undefined
  const { code, message } = stored
  return typeof code === 'string' && typeof message === 'string' ? { code, message } : undefined
}

type SuspensionHome = Pick<Home, 'root' | 'startFailureFile' | 'configFile' | 'personFile'>

/**
 * Why the last start failed, if that was a moment ago and neither configuration, person nor program changed since. Otherwise
 * every hook would start a daemon that fails again.
 */
export function findRefusal(home: SuspensionHome, script: string): string | undefined {
  // ctime, because a moved file keeps its mtime.
  const changedAtMs = (path: string) => statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? 0
  try {
    const refusedAtMs = statSync(home.startFailureFile).mtimeMs
    const ageMs = wallMs() - refusedAtMs
    // A time in the future means that the clock was set back.
    if (ageMs > SUSPENDED_MS || ageMs < -SUSPENDED_MS) return undefined
    // The root, because its ctime changes when a file is removed.
    const causes = [home.root, home.configFile, home.personFile, script]
    if (causes.some((path) => changedAtMs(path) > refusedAtMs)) return undefined
    const failure = readFailure(home.startFailureFile)
    return failure !== undefined && PERMANENT_FAILURES.has(failure.code) ? failure.message : undefined
  } catch {
    // No record, or an unreadable one: try to start.
    return undefined
  }
}

/** A daemon that has not started in this time never will. Shorter than any caller waits, so that an unverifiable stamp delays a call and does not fail it. */
const STALE_MS = 6_000

interface Starter {
  readonly pid: number
  readonly startedAt?: string
}

function parseStarter(text: string): Starter | undefined {
  const [pid, startedAt] = text.split('\n')
  if (pid === undefined || !/^\d{1,10}$/.test(pid)) return undefined
  return { pid: Number(pid), ...(startedAt ? { startedAt } : {}) }
}

function formatStarter({ pid, startedAt }: Starter): string {
  return `${pid}\n${startedAt ?? ''}\n`
}

type StampHome = Pick<Home, 'root' | 'runDir' | 'startStampFile'>
type LiveCheck = Pick<Processes, 'isAlive' | 'startedAt'>

function isFresh(file: string, processes: LiveCheck): boolean {
  const age = wallMs() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0)
  // A stamp from the future means that the clock was changed.
  if (age > STALE_MS || age < -STALE_MS) return false
  try {
    const starter = parseStarter(readFileSync(file, 'utf8'))
    // Created and not yet written counts as fresh.
    return starter === undefined ? age < 1_000 : processes.isAlive(starter)
  } catch {
    return false
  }
}

function createStamp(file: string, starter: Starter): boolean {
  let fd: number | undefined
  try {
    fd = openSync(file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0), 0o600)
    writeSync(fd, formatStarter(starter))
    return true
  } catch (thrown) {
    if (getErrorCode(thrown) === 'EEXIST') return false
    // A daemon is needed on a full disk too, and the stamp is only advisory.
    if (isDiskFull(thrown)) return true
    throw thrown
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

/**
 * Whether this process starts the daemon. Advisory, so that fifty hooks at once do not start fifty processes: the kernel lock
 * decides which one is the daemon. Throws when the folder cannot be written.
 */
export function claimStart(home: StampHome, processes: LiveCheck): boolean {
  ensurePrivateDir(home.runDir, home.root)
  const startedAt = processes.startedAt(process.pid)
  const self = { pid: process.pid, ...(startedAt === undefined ? {} : { startedAt }) }
  if (createStamp(home.startStampFile, self)) return true
  if (isFresh(home.startStampFile, processes)) return false
  try {
    unlinkSync(home.startStampFile)
  } catch (thrown) {
    if (getErrorCode(thrown) !== 'ENOENT') throw thrown
  }
  return createStamp(home.startStampFile, self)
}

/** Binds the stamp to the started daemon instead of this process. */
export function passStampTo(home: StampHome, pid: number, processes: LiveCheck): void {
  const startedAt = processes.startedAt(pid)
  try {
    writeFileAtomic(home.startStampFile, formatStarter({ pid, ...(startedAt === undefined ? {} : { startedAt }) }))
  } catch (thrown) {
    if (!isDiskFull(thrown)) throw thrown
  }
}

/**
 * The variables that the daemon inherits: never those of a harness, tokens or flags for Node, nor those of PostgreSQL
 * clients, which a project sets for its own database.
 */
const PASSED_VARIABLES =
  /^(?:HOME|USER|LOGNAME|PATH|SHELL|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|XDG_\w+|SystemRoot|APPDATA|LOCALAPPDATA|USERPROFILE|PIECES_DB_PATH|CONTEXT_DB_PATH|(?:LOCAL_MEMORY|MEMORY_ADAPTER)_(?:BASE_URL|API_KEY)|HOLDFAST_\w+)$/i
const HOOK_ONLY = /^HOLDFAST_(?:PID|EVENT_ID|TRIED|ELAPSED_MS|REST_FD|NODE|OFF)$/
/** Set by `holdfast run` for one session; the daemon serves all sessions. */
const RUN_ONLY =
  /^HOLDFAST_(?:TASK(?:_\w+)?|SESSION_ID|GATE|STEP|ATTEMPT|OPENING_FILE|HEARTBEAT_FILE|STOP_FILE|FAILURE_FILE)$/
const RUN_MARK = 'HOLDFAST_RUN_ID'
/** Settings that decide where the data of every project goes and what runs on it. Listed here because a hook cannot load the schema. */
const USER_SETTING =
  /^(?:HOLDFAST_(?:STORE_URL|STORE_PERSON|OUTBOX_URL|SAFETY_PROBE|TASKS_MEMORY_URL)|(?:LOCAL_MEMORY|MEMORY_ADAPTER)_(?:BASE_URL|API_KEY))$/i
const ENV_FILES_SETTING = /^HOLDFAST_REDACTION_ENV_FILES$/i
/** Variables of PostgreSQL clients. `holdfast daemon run` passes its whole environment, so there they apply. */
const POSTGRES_SETTING = /^PG[A-Z]+$/i
const IS_TRUE = /^(?:true|1|yes|on)$/i

/** The variables that are not taken from a harness: a repository can set them, and the daemon serves all projects. */
function listUserSettings(env: NodeJS.ProcessEnv): readonly string[] {
  return Object.entries(env).flatMap(([name, value = '']) =>
    USER_SETTING.test(name) || (ENV_FILES_SETTING.test(name) && !IS_TRUE.test(value)) ? [name] : [],
  )
}

/** The environment for the daemon or its stand-in, without the settings that only the user may make. */
export function harnessDaemonEnv(env: NodeJS.ProcessEnv, cwd?: string): NodeJS.ProcessEnv {
  const ignored = listUserSettings(env)
  return daemonEnv(Object.fromEntries(Object.entries(env).filter(([name]) => !ignored.includes(name))), cwd)
}

/** `cwd`: the folder it is started from; programs in it are removed from PATH. */
export function daemonEnv(env: NodeJS.ProcessEnv, cwd?: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(env).filter(
    ([name]) => PASSED_VARIABLES.test(name) && !HOOK_ONLY.test(name) && !RUN_ONLY.test(name),
  )
  // The daemon does not belong to the run: a supervisor ends processes with its mark, and ignores an empty one.
  const own = Object.fromEntries(inherited.map(([name, value]) => [name, name === RUN_MARK ? '' : value]))
  return env.PATH === undefined ? own : { ...own, PATH: pathOutsideProjects({ env, cwd }) }
}

function openLog(home: Pick<Home, 'root' | 'logDir' | 'daemonLog'>): number | 'ignore' {
  try {
    ensurePrivateDir(home.logDir, home.root)
    const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0)
    return openSync(home.daemonLog, flags, 0o600)
  } catch {
    // A daemon without a log is better than no daemon.
    return 'ignore'
  }
}

/** In the format of the daemon's log, without loading its module: an agent waits for the MCP pipe. Names only; a value may be a password. */
function logIgnored(log: number | 'ignore', level: 'warn' | 'info', message: string, names: readonly string[]): void {
  if (log === 'ignore' || names.length === 0) return
  const line = JSON.stringify({ at: systemClock.now(), level, message, variables: names })
  try {
    writeSync(log, `${line}\n`)
  } catch {
    // A full disk does not keep the daemon from starting.
  }
}

function logIgnoredVariables(env: NodeJS.ProcessEnv, log: number | 'ignore', isHarnessEnv: boolean): void {
  const harness = 'variables of the harness ignored: set them in config.json of the Holdfast home'
  if (isHarnessEnv) logIgnored(log, 'warn', harness, listUserSettings(env))
  const postgres = 'variables of PostgreSQL ignored: the store is reached by `store.url` of config.json alone'
  const names = Object.keys(env).filter((name) => POSTGRES_SETTING.test(name))
  logIgnored(log, 'info', postgres, names)
}

export interface DaemonStart {
  readonly home: Home
  readonly env: NodeJS.ProcessEnv
  /** The daemon's bundle. */
  readonly script: string
  /** Whether the environment comes from a harness, as for a hook and the MCP pipe, instead of the user's shell. */
  readonly isHarnessEnv?: boolean
}

/** Checks without starting `ps`: a hook has no time for more. */
const CHEAP_CHECKS: Pick<Processes, 'isAlive' | 'startedAt'> = { isAlive: isAliveCheaply, startedAt: cheapStartedAt }

// A daemon is idle most of the time: a small young generation limits its memory after a busy hour, and code compiled for
// size instead of for speed takes 6 MB less on Node 24. Without the baseline compiler, whose code is large, it takes another
// 2 to 6 MB less; its processor time for 160 hooks stayed the same, because hot code is optimized as before. Garbage is
// collected as idle-memory.ts says.
// A session's start waits for this process: the bytecode that V8 makes of a regular expression before its machine code takes
// 200 ms for those that find rules, and the machine code 40 ms.
const NODE_FLAGS = [
  '--max-semi-space-size=1',
  '--optimize-for-size',
  '--no-sparkplug',
  '--no-regexp-tier-up',
  '--expose-gc',
]

/** Built-in functions are called where they are: a copy near the code of each thread takes 2 MB. What was compiled but not used for two collections is dropped: 1 MB. */
const SMALL_CODE = ['--no-short-builtin-calls', '--bytecode-old-age=2']

/**
 * The compiler that optimizes takes 6 MB once it runs, so only code that runs for long is optimized: 20 times longer than usual.
 * The compiler between, Maglev, is not worth its 2 MB then.
 */
const LATE_OPTIMIZATION = ['--no-maglev', '--invocation-count-for-turbofan=60000', '--invocation-count-for-osr=10000']

/** By version of V8: those of Node 20, 22, 24 and 26. Node refuses to start with a flag that it does not know, so any other gets none of these. */
const V8_FLAGS: Readonly<Record<string, readonly string[]>> = {
  '11.3': [...SMALL_CODE, '--interrupt-budget=3000000'],
  '12.4': [...SMALL_CODE, ...LATE_OPTIMIZATION],
  '13.6': [...SMALL_CODE, ...LATE_OPTIMIZATION],
  '14.6': [...SMALL_CODE, ...LATE_OPTIMIZATION],
}

function nodeFlags(): readonly string[] {
  const v8 = process.versions.v8.split('.', 2).join('.')
  return [...NODE_FLAGS, ...(V8_FLAGS[v8] ?? [])]
}

/** glibc gives every thread a pool of its own, whose free pages are not returned: one pool takes 6 MB less. */
const MALLOC_ENV = { MALLOC_ARENA_MAX: '1' }

/** Whether a process that was started a moment ago to be the daemon is alive. */
export function isStarting({ startStampFile }: Pick<Home, 'startStampFile'>): boolean {
  return isFresh(startStampFile, CHEAP_CHECKS)
}

/**
 * Starts the daemon and does not wait for it; false when another process just did. Throws when it cannot be started. After a
 * permanent failure no harness starts one for a while; a command of the user always does.
 */
export function startDaemon({ home, env, script, isHarnessEnv = false }: DaemonStart): boolean {
  if (isHarnessEnv && findRefusal(home, script) !== undefined) return false
  if (!claimStart(home, CHEAP_CHECKS)) return false
  const log = openLog(home)
  logIgnoredVariables(env, log, isHarnessEnv)
  try {
    // Loaded only here: node:child_process costs every hook 3 ms, and hardly any starts a daemon.
    const child = process.getBuiltinModule('node:child_process').spawn(process.execPath, [...nodeFlags(), script], {
      cwd: '/',
      env: { ...withWholeHome((isHarnessEnv ? harnessDaemonEnv : daemonEnv)(env, currentFolder())), ...MALLOC_ENV },
      detached: true,
      stdio: ['ignore', log, log],
      windowsHide: true,
    })
    // Without a listener a failed start would be an uncaught exception; the caller finds no daemon.
    child.on('error', () => undefined)
    child.unref()
    if (child.pid !== undefined) passStampTo(home, child.pid, CHEAP_CHECKS)
    return child.pid !== undefined
  } finally {
    if (typeof log === 'number') closeSync(log)
  }
}

const FIRST_WAIT_MS = 100
const MAX_WAIT_MS = 2_000

/**
 * Calls `start` at growing intervals, so that a daemon that cannot start, for example because of an unreadable configuration,
 * does not keep the machine busy while a caller waits.
 */
export function createStartBackoff(start: () => boolean, nowMs: () => number): () => void {
  let waitMs = FIRST_WAIT_MS
  let notBeforeMs = Number.NEGATIVE_INFINITY
  return () => {
    if (nowMs() < notBeforeMs || !start()) return
    notBeforeMs = nowMs() + waitMs
    waitMs = Math.min(waitMs * 2, MAX_WAIT_MS)
  }
}
