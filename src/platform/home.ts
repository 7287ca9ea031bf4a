import { homedir, tmpdir, userInfo } from 'node:os'
import { join, resolve } from 'node:path'

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
  return env.HOME || env.USERPROFILE || homedir() || userInfo().homedir
}

function socketPath(root: string, runDir: string, platform: NodeJS.Platform): string {
  const inHome = join(runDir, 'daemon.sock')
  if (platform !== 'win32' && Buffer.byteLength(inHome) <= SOCKET_PATH_MAX_BYTES) return inHome
  const digest = digestOf(root)
  if (platform === 'win32') return `\\\\.\\pipe\\holdfast-${digest}`
  return join(tmpdir(), `holdfast-${userInfo().uid}`, `${digest}.sock`)
}

/** Asked for only here: loading node:crypto costs a hook 3 ms, and hardly any home needs it. */
function digestOf(root: string): string {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(root).digest('hex').slice(0, 16)
}

export function homeOf(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): Home {
  const root = env.HOLDFAST_HOME ? resolve(env.HOLDFAST_HOME) : join(userHome(env), '.holdfast')
  const runDir = join(root, 'run')
  return {
    root,
    configFile: join(root, 'config.json'),
    databaseFile: join(root, 'data', 'holdfast.db'),
    runDir,
    socket: socketPath(root, runDir, platform),
    endpointFile: join(runDir, 'endpoint.json'),
    launcherFile: join(runDir, 'launcher'),
    lateFile: join(runDir, 'late'),
    startStampFile: join(runDir, 'starting'),
    lockFile: join(runDir, 'lock.db'),
    tokenFile: join(root, 'token'),
    hookTokenFile: join(root, 'hook-token'),
    spoolDir: join(root, 'spool'),
    deadSpoolDir: join(root, 'spool', 'dead'),
    logDir: join(root, 'logs'),
    daemonLog: join(root, 'logs', 'daemon.log'),
    hookLog: join(root, 'logs', 'hook.log'),
    quarantineDir: join(root, 'quarantine'),
    backupDir: join(root, 'backups'),
    manifestFile: join(root, 'install', 'manifest.json'),
  }
}
