import { isAbsolute, join, resolve } from 'node:path'

/** Every path Holdfast owns for one user. Folders are 0700, files 0600. */
export interface Home {
  readonly root: string
  readonly configFile: string
  readonly databaseFile: string
  readonly runDir: string
  /** Where hooks and the CLI reach the daemon; on Windows a named pipe. */
  readonly socket: string
  /** JSON for the Node clients: pid, port, version, start time. */
  readonly endpointFile: string
  /** Lines for the launcher, which has no JSON parser; written by `writeLauncherFile`. */
  readonly launcherFile: string
  /** Here while the daemon accepts connections and does not answer: launchers then leave it to the Node client. */
  readonly lateFile: string
  /** Who is starting the daemon just now. */
  readonly startStampFile: string
  readonly lockFile: string
  readonly tokenFile: string
  readonly hookTokenFile: string
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

export function homeOf(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): Home {
  const root = env.HOLDFAST_HOME ? resolve(env.HOLDFAST_HOME) : resolve(userHome(env), '.holdfast')
  // Plain concatenation: path.join on twenty names is a noticeable part of a hook's life.
  const at = (name: string) => `${root}/${name}`
  const runDir = at('run')
  return {
    root,
    configFile: at('config.json'),
    databaseFile: at('data/holdfast.db'),
    runDir,
    socket: socketPath(root, runDir, platform),
    endpointFile: at('run/endpoint.json'),
    launcherFile: at('run/launcher'),
    lateFile: at('run/late'),
    startStampFile: at('run/starting'),
    lockFile: at('run/lock.db'),
    tokenFile: at('token'),
    hookTokenFile: at('hook-token'),
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
