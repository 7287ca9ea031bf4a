import { isAbsolute, join, resolve } from 'node:path'

/** Every path Holdfast owns for one user. Folders are 0700, files 0600. */
export interface Home {
  readonly root: string
  readonly configFile: string
  readonly databaseFile: string
  /** How far the clock of this machine is trusted. */
  readonly clockTrustFile: string
  /** Reserved space that is freed when the disk is full. */
  readonly reservedSpaceFile: string
  /** Hook calls lost to a full disk; preallocated, so that writing to it needs no space. */
  readonly lostHooksFile: string
  /** Why hooks did not run for a time, until a session was informed of it. */
  readonly hookGapFile: string
  /** What was said once about an installation whose programs are missing. */
  readonly saidFile: string
  readonly runDir: string
  /** The daemon's socket for hooks and the CLI; on Windows a named pipe. */
  readonly socket: string
  /** JSON for the Node clients: pid, port, version, start time. */
  readonly endpointFile: string
  /** The daemon's address for the launcher, which has no JSON parser; written by `writeLauncherFile`. */
  readonly launcherFile: string
  /** Exists while the daemon does not answer: the address of its stand-in in the launcher file's format, or the process that is starting one. */
  readonly lateFile: string
  /** Prefix of the sockets of stand-ins; each adds three characters, for a path as long as `socket`, which has the maximum length. */
  readonly lateSocketPrefix: string
  /** The process that is starting the daemon. */
  readonly startStampFile: string
  /** The launcher's note of the first hook that found no supported Node, until a session or a command has reported it. */
  readonly noNodeFile: string
  /** The same after a session has reported it, until a command has. */
  readonly noNodeReportedFile: string
  readonly lockFile: string
  readonly tokenFile: string
  readonly hookTokenFile: string
  /** The user id in a store that several homes share. */
  readonly personFile: string
  readonly machineFile: string
  /** Why the last daemon did not start; absent once one has. */
  readonly startFailureFile: string
  /** What hooks at a session's start print while the daemon cannot start, by harness and hook. */
  readonly startNoticesFile: string
  /** Its content once a hook has printed it. */
  readonly startNoticesPrintedFile: string
  /** Exists when the user wants the database of a later version to be set aside. */
  readonly setAsideFile: string
  readonly spoolDir: string
  readonly deadSpoolDir: string
  readonly logDir: string
  readonly daemonLog: string
  readonly hookLog: string
  readonly quarantineDir: string
  readonly backupDir: string
  /** Every change made to files of other programs. */
  readonly manifestFile: string
}

/** sun_path holds 104 bytes on macOS and 108 on Linux, terminator included. */
const SOCKET_PATH_MAX_BYTES = 100

function userHome(env: NodeJS.ProcessEnv): string {
  return env.HOME || env.USERPROFILE || os().homedir() || os().userInfo().homedir
}

/** A UTF-16 unit is at most three bytes; counting bytes would cost every hook a tenth of a millisecond. */
function fitsSocketName(path: string): boolean {
  return path.length * 3 <= SOCKET_PATH_MAX_BYTES || Buffer.byteLength(path) <= SOCKET_PATH_MAX_BYTES
}

function socketPath(root: string, runDir: string, platform: NodeJS.Platform): string {
  const inHome = `${runDir}/daemon.sock`
  if (platform !== 'win32' && fitsSocketName(inHome)) return inHome
  const digest = digestRoot(root)
  if (platform === 'win32') return `\\\\.\\pipe\\holdfast-${digest}`
  return join(os().tmpdir(), `holdfast-${os().userInfo().uid}`, `${digest}.sock`)
}

// Loaded on demand: each of these modules costs a hook a millisecond or more, and few homes need them.
const os = () => process.getBuiltinModule('node:os')

function digestRoot(root: string): string {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(root).digest('hex').slice(0, 16)
}

/** A relative home would be another folder in each working folder, and data stored in one would be missing in the other. */
export function isRelativeHome(env: NodeJS.ProcessEnv): boolean {
  return Boolean(env.HOLDFAST_HOME) && !isAbsolute(env.HOLDFAST_HOME ?? '')
}

/** A relative `HOLDFAST_HOME` is ignored: a hook must continue, and the CLI refuses it (`isRelativeHome`). */
export function resolveHome(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): Home {
  const root =
    env.HOLDFAST_HOME && !isRelativeHome(env) ? resolve(env.HOLDFAST_HOME) : resolve(userHome(env), '.holdfast')
  // Plain concatenation: path.join on twenty names is a noticeable part of a hook's run time.
  const at = (name: string) => `${root}/${name}`
  const runDir = at('run')
  const socket = socketPath(root, runDir, platform)
  return {
    root,
    configFile: at('config.json'),
    databaseFile: at('data/holdfast.db'),
    clockTrustFile: at('data/clock.json'),
    reservedSpaceFile: at('data/ballast'),
    lostHooksFile: at('data/lost-hooks'),
    hookGapFile: at('data/hook-gap'),
    saidFile: at('data/said-missing'),
    runDir,
    socket,
    endpointFile: at('run/endpoint.json'),
    launcherFile: at('run/launcher'),
    lateFile: at('run/late'),
    lateSocketPrefix: platform === 'win32' ? `${socket}-late-` : socket.replace(/sock$/, 'l'),
    startStampFile: at('run/starting'),
    noNodeFile: at('run/no-node'),
    noNodeReportedFile: at('run/no-node-reported'),
    lockFile: at('run/lock.db'),
    tokenFile: at('token'),
    hookTokenFile: at('hook-token'),
    personFile: at('person'),
    machineFile: at('machine'),
    startFailureFile: at('run/start-failure.json'),
    startNoticesFile: at('run/start-notices.json'),
    startNoticesPrintedFile: at('run/start-notices-printed.json'),
    setAsideFile: at('run/set-aside'),
    spoolDir: at('spool'),
    deadSpoolDir: at('spool/dead'),
    logDir: at('logs'),
    daemonLog: at('logs/daemon.log'),
    hookLog: at('logs/hook.log'),
    quarantineDir: at('quarantine'),
    backupDir: at('backups'),
    manifestFile: at('install/manifest.json'),
  }
}

/** An environment with an absolute home, for processes that may run in another folder. */
export function withWholeHome(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const named = Object.entries({ HOME: env.HOME, USERPROFILE: env.USERPROFILE }).flatMap(([name, path]) =>
    path === undefined || path === '' || isAbsolute(path) ? [] : [[name, resolve(path)] as const],
  )
  if (named.length === 0 && !env.HOLDFAST_HOME) return env
  return { ...env, ...Object.fromEntries(named), HOLDFAST_HOME: resolveHome(env).root }
}
