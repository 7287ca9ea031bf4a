import { spawn } from 'node:child_process'

export interface GitRun {
  readonly exitStatus: number
  readonly stdout: Buffer
  /** The end of it, for a person. */
  readonly stderr: string
}

/** An index and a place for objects of our own: the repository's stay as they are. */
export interface GitScratch {
  readonly indexFile: string
  readonly objectDir: string
  /** The repository's own objects, to read from. */
  readonly alternates: string
}

export interface GitRunOptions {
  readonly scratch?: GitScratch
  /** The repository's hooks run, as when its owner commits by hand. */
  readonly withHooks?: boolean
  readonly timeoutMs?: number
  readonly maxOutputBytes?: number
}

const KEPT_ERROR_CHARS = 2_000

function envFor(scratch: GitScratch | undefined): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {}
  for (const [name, value] of Object.entries(process.env))
    if (!/^GIT_(?!SSH|AUTHOR|COMMITTER)/.test(name)) env[name] = value
  return {
    ...env,
    GIT_TERMINAL_PROMPT: '0',
    GIT_PAGER: 'cat',
    LC_ALL: 'C',
    ...(scratch !== undefined && {
      GIT_INDEX_FILE: scratch.indexFile,
      GIT_OBJECT_DIRECTORY: scratch.objectDir,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: scratch.alternates,
    }),
  }
}

/** Runs git for what changes something or must come out byte for byte. Without a shell; never throws. */
export function runGitFully(worktree: string, args: readonly string[], options: GitRunOptions = {}): Promise<GitRun> {
  const { scratch, withHooks = false, timeoutMs = 60_000, maxOutputBytes = 64_000_000 } = options
  const flags = [
    'core.fsmonitor=false',
    ...(withHooks ? [] : ['core.hooksPath=/dev/null']),
    // A part of an index that is split would lie in the repository.
    ...(scratch === undefined ? [] : ['core.splitIndex=false']),
  ].flatMap((setting) => ['-c', setting])
  return new Promise((resolve) => {
    const failed = (stderr: string) => resolve({ exitStatus: -1, stdout: Buffer.alloc(0), stderr })
    let child
    try {
      child = spawn('git', [...flags, ...args], {
        cwd: worktree,
        env: envFor(scratch),
        stdio: ['ignore', 'pipe', 'pipe'],
        windowsHide: true,
      })
    } catch (thrown) {
      return failed(String(thrown))
    }
    const chunks: Buffer[] = []
    let size = 0
    let stderr = ''
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      failed(`git ${args[0] ?? ''} did not end within ${timeoutMs} ms.`)
    }, timeoutMs)
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= maxOutputBytes) chunks.push(chunk)
    })
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      stderr = (stderr + chunk).slice(-KEPT_ERROR_CHARS)
    })
    child.on('error', (error) => {
      clearTimeout(timer)
      failed(error.message)
    })
    child.on('close', (code) => {
      clearTimeout(timer)
      if (size > maxOutputBytes) failed(`git ${args[0] ?? ''} said more than ${maxOutputBytes} bytes.`)
      else resolve({ exitStatus: code ?? -1, stdout: Buffer.concat(chunks), stderr })
    })
  })
}
