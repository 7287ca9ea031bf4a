import { isAbsolute, join, resolve } from 'node:path'

/** Every path Holdfast owns for one user. Folders are 0700, files 0600. */
export interface Home {
  readonly root: string
  readonly configFile: string
  readonly databaseFile: string
  /** How far the clock of this machine is believed. */
  readonly clockTrustFile: string
  /** Space that is given up when the disk is full. */
  readonly ballastFile: string
  /** Hook calls that a full disk left no room for; made beforehand, so that writing to it takes none. */
  readonly lostHooksFile: string
  readonly runDir: string
  /** Where hooks and the CLI reach the daemon; on Windows a named pipe. */
  readonly socket: string
  /** JSON for the Node clients: pid, port, version, start time. */
  readonly endpointFile: string
  /** Lines for the launcher, which has no JSON parser; written by `writeLauncherFile`. */
  readonly launcherFile: string
  /** Here while the daemon does not answer: where its stand-in is, in the launcher file's format, or who is starting one. */
  readonly lateFile: string
  /** How the sockets of stand-ins begin; each adds three characters of its own, for a path as long as `socket`, which may be no longer. */
  readonly lateSocketPrefix: string
  /** Who is starting the daemon just now. */
  readonly startStampFile: string
  readonly lockFile: string
  readonly tokenFile: string
  readonly hookTokenFile: string
  /** Who uses this home, as stores that several homes open know it. */
  readonly personFile: string
  readonly machineFile: string
  /** Why the last daemon did not start; absent once one has. */
  readonly startFailureFile: string
  readonly spoolDir: string
  readonly deadSpoolDir: string
  readonly logDir: string
  readonly daemonLog: string
  readonly hookLog: string
  readonly quarantineDir: string
  readonly backupDir: string
  /** Every byte written into somebody else's files. */
  readonly manifestFile: string
}

/** sun_path holds 104 bytes on macOS and 108 on Linux, terminator included. */
const SOCKET_PATH_MAX_BYTES = 100

function userHome(env: NodeJS.ProcessEnv): string {
  return env.HOME || env.USERPROFILE || os().homedir() || os().userInfo().homedir
}

/** A character is three bytes at most; counting them would cost every hook a tenth of a millisecond. */
function fitsSocketName(path: string): boolean {
  return path.length * 3 <= SOCKET_PATH_MAX_BYTES || Buffer.byteLength(path) <= SOCKET_PATH_MAX_BYTES
}

function socketPath(root: string, runDir: string, platform: NodeJS.Platform): string {
  const inHome = `${runDir}/daemon.sock`
  if (platform !== 'win32' && fitsSocketName(inHome)) return inHome
  const digest = digestOf(root)
  if (platform === 'win32') return `\\\\.\\pipe\\holdfast-${digest}`
  return join(os().tmpdir(), `holdfast-${os().userInfo().uid}`, `${digest}.sock`)
}

// Asked for only here: each of these modules costs a hook a millisecond or more, and hardly any home needs them.
const os = () => process.getBuiltinModule('node:os')

function digestOf(root: string): string {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(root).digest('hex').slice(0, 16)
}

/** A home that is named from one folder would be another in the next, and what is kept in one is lost to the other. */
export function isRelativeHome(env: NodeJS.ProcessEnv): boolean {
  return Boolean(env.HOLDFAST_HOME) && !isAbsolute(env.HOLDFAST_HOME ?? '')
}

/** A relative `HOLDFAST_HOME` counts as none: a hook must go on, and the command line refuses it (`isRelativeHome`). */
export function homeOf(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): Home {
  const root =
    env.HOLDFAST_HOME && !isRelativeHome(env) ? resolve(env.HOLDFAST_HOME) : resolve(userHome(env), '.holdfast')
  // Plain concatenation: path.join on twenty names is a noticeable part of a hook's life.
  const at = (name: string) => `${root}/${name}`
  const runDir = at('run')
  const socket = socketPath(root, runDir, platform)
  return {
    root,
    configFile: at('config.json'),
    databaseFile: at('data/holdfast.db'),
    clockTrustFile: at('data/clock.json'),
    ballastFile: at('data/ballast'),
    lostHooksFile: at('data/lost-hooks'),
    runDir,
    socket,
    endpointFile: at('run/endpoint.json'),
    launcherFile: at('run/launcher'),
    lateFile: at('run/late'),
    lateSocketPrefix: platform === 'win32' ? `${socket}-late-` : socket.replace(/sock$/, 'l'),
    startStampFile: at('run/starting'),
    lockFile: at('run/lock.db'),
    tokenFile: at('token'),
    hookTokenFile: at('hook-token'),
    personFile: at('person'),
    machineFile: at('machine'),
    startFailureFile: at('run/start-failure.json'),
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

/** For what is started from here and may be elsewhere: a home that is named from one folder would be another in the next. */
export function withWholeHome(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const named = Object.entries({ HOME: env.HOME, USERPROFILE: env.USERPROFILE }).flatMap(([name, path]) =>
    path === undefined || path === '' || isAbsolute(path) ? [] : [[name, resolve(path)] as const],
  )
  if (named.length === 0 && !env.HOLDFAST_HOME) return env
  return { ...env, ...Object.fromEntries(named), HOLDFAST_HOME: homeOf(env).root }
}
