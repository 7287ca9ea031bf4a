import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { HoldfastError, getErrorMessage } from '../../kernel/errors.ts'
import { killGroup, onProcessEnd } from '../../platform/process/process-end.ts'
import type { FileTree } from './file-tree.ts'

export interface SshAddress {
  /** `user@host` or `host`. */
  readonly host: string
  readonly port?: number
  readonly path: string
}

export interface SshTreeOptions {
  readonly address: SshAddress
  /** The program; the default is the system's own. */
  readonly program: string
  readonly env: NodeJS.ProcessEnv
  readonly timeoutMs?: number
}

const TIMEOUT_MS = 120_000
const CONNECT_SECONDS = 10
const NO_FOLDER = 44
const EXISTS = 45
const NOT_WRITTEN = 46
const MAX_ERROR_CHARS = 500

// The remote side needs a POSIX shell and nothing of ours. No script has a single quote: it travels inside them.
const LIST = 'cd -- "$1" || exit 44; find logs documents -type f ! -name ".holdfast-*" 2>/dev/null; exit 0'
const READ =
  'cd -- "$1" || exit 44; max=$2; shift 2; sum=0; for f in "$@"; do if [ -f "$f" ]; then n=$(($(wc -c <"$f"))); echo "$n"; head -c "$n" "$f"; sum=$((sum+n)); [ "$sum" -ge "$max" ] && exit 0; else echo -1; fi; done; exit 0'
const WRITE_PART =
  'umask 077; cd -- "$1" || exit 44; d=$(dirname -- "$2"); mkdir -p -- "$d" || exit 46; t="$d/.holdfast-$4"; trap "rm -f \\"\\$t\\"" EXIT; cat >"$t" || exit 46; [ $(($(wc -c <"$t"))) -eq "$3" ] || exit 46; sync "$t" 2>/dev/null || sync;'
const CREATE = `${WRITE_PART} ln -- "$t" "$2" 2>/dev/null && exit 0; [ -e "$2" ] && exit 45; mv -- "$t" "$2" || exit 46; exit 0`
const REPLACE = `${WRITE_PART} mv -f -- "$t" "$2" || exit 46; exit 0`
const REMOVE =
  'cd -- "$1" || exit 44; shift; for f in "$@"; do rm -f -- "$f"; d=$(dirname -- "$f"); while [ "$d" != . ] && rmdir -- "$d" 2>/dev/null; do d=$(dirname -- "$d"); done; done; exit 0'

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

interface RemoteRun {
  readonly exitStatus: number
  readonly stdout: Buffer
  readonly stderr: string
}

/** A folder on another computer, through the system's ssh with the user's own settings and keys; it never asks a question. */
export function createSshTree({ address, program, env, timeoutMs = TIMEOUT_MS }: SshTreeOptions): FileTree {
  const { host, port, path: root } = address
  const shown = `ssh://${host}${port === undefined ? '' : `:${port}`}${root}`
  let listing: Set<string> | undefined

  function run(script: string, args: readonly string[], input?: Uint8Array): Promise<RemoteRun> {
    const command = `exec sh -c ${quote(script)} sh ${args.map(quote).join(' ')}`
    const options = ['-o', 'BatchMode=yes', '-o', `ConnectTimeout=${CONNECT_SECONDS}`, '-T']
    const words = [...options, ...(port === undefined ? [] : ['-p', String(port)]), '--', host, command]
    return new Promise((resolve, reject) => {
      const child = spawn(program, words, { env, detached: process.platform !== 'win32', stdio: 'pipe' })
      const forget = onProcessEnd(() => killGroup(child.pid))
      const chunks: Buffer[] = []
      let stderr = ''
      const timer = setTimeout(() => killGroup(child.pid), timeoutMs)
      child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
      child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
        stderr = (stderr + chunk).slice(-MAX_ERROR_CHARS)
      })
      // The remote side may end before it has read everything.
      child.stdin.on('error', () => undefined).end(input ?? '')
      const finish = () => {
        clearTimeout(timer)
        forget()
      }
      child.on('error', (thrown) => {
        finish()
        reject(new HoldfastError('store-unavailable', `${program} did not start: ${getErrorMessage(thrown)}.`))
      })
      child.on('close', (code) => {
        finish()
        resolve({ exitStatus: code ?? -1, stdout: Buffer.concat(chunks), stderr: stderr.trim() })
      })
    })
  }

  async function succeed(script: string, args: readonly string[], input?: Uint8Array): Promise<RemoteRun> {
    const ran = await run(script, [root, ...args], input)
    const why = ran.stderr.replace(/\.$/, '')
    switch (ran.exitStatus) {
      case 0:
      case EXISTS:
        return ran
      case NO_FOLDER:
        throw new HoldfastError('not-found', `${shown} does not exist.`, {
          hint: 'Create the folder on that computer.',
        })
      case NOT_WRITTEN:
        throw new HoldfastError('store-unavailable', `${shown} could not be written: ${why || 'no reason given'}.`, {
          hint: 'The disk may be full, or the folder may belong to someone else.',
        })
      default:
        throw new HoldfastError('store-unavailable', `${shown} cannot be reached: ${why || 'no answer'}.`, {
          hint: `Try \`ssh ${port === undefined ? '' : `-p ${port} `}${host}\` once by hand: the host's key must be known, and your key must work without a question.`,
        })
    }
  }

  /** One listing for an exchange: whatever is created elsewhere meanwhile is found by the next one. */
  async function list(): Promise<Set<string>> {
    listing ??= new Set((await succeed(LIST, [])).stdout.toString('utf8').split('\n').filter(Boolean))
    return listing
  }

  const toPart = () => randomBytes(8).toString('hex')

  return {
    list: async () => [...(await list())].toSorted(),
    async readMany(paths, maxBytes) {
      if (paths.length === 0) return []
      const { stdout } = await succeed(READ, [String(maxBytes), ...paths])
      const contents: (Uint8Array | undefined)[] = []
      for (let at = 0; at < stdout.length; ) {
        const end = stdout.indexOf(10, at)
        const size = Number(stdout.subarray(at, end).toString('latin1'))
        at = end + 1
        // A connection that broke: what came whole is used.
        if (end === -1 || !Number.isInteger(size) || at + size > stdout.length) break
        contents.push(size < 0 ? undefined : new Uint8Array(stdout.subarray(at, at + size)))
        at += Math.max(0, size)
      }
      return contents
    },
    async create(path, bytes) {
      const { exitStatus } = await succeed(CREATE, [path, String(bytes.length), toPart()], bytes)
      listing?.add(path)
      return exitStatus !== EXISTS
    },
    async replace(path, bytes) {
      await succeed(REPLACE, [path, String(bytes.length), toPart()], bytes)
      listing?.add(path)
    },
    async remove(paths) {
      for (let at = 0; at < paths.length; at += 200) await succeed(REMOVE, paths.slice(at, at + 200))
      for (const path of paths) listing?.delete(path)
    },
    close: async () => undefined,
  }
}
