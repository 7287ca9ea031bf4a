import { spawn } from 'node:child_process'
import { delimiter, dirname, isAbsolute } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { HoldfastError, getErrorMessage } from '../../kernel/errors.ts'
import { findProgramIn, pathOutsideProjects, programFolders } from '../../platform/process/programs.ts'
import { killGroup } from '../../platform/process/process-end.ts'
import { afterLastOutput } from '../../platform/process/last-output.ts'
import type { Home } from '../../platform/base/home.ts'
import { withScratchDir } from '../../platform/scratch-dir.ts'
import { type DigestWriterSpec, HOLDFAST_OFF } from '../presets.ts'
import { askLocalServer } from './local-server.ts'
import { SESSION_MARKS } from '../../platform/process/ancestor.ts'

const MAX_HANDOFF_CHARS = 12_000
const MAX_ERROR_CHARS = 300

export interface HandoffOptions {
  readonly env: NodeJS.ProcessEnv
  readonly home: Pick<Home, 'root'>
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

/** Whole lines within the limit, without colours and other control characters. */
function cleanHandoff(output: string): string {
  const text = stripVTControlCharacters(output)
    .replaceAll('\r\n', '\n')
    // oxlint-disable-next-line no-control-regex
    .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '')
    .toWellFormed()
    .trim()
  if (text.length <= MAX_HANDOFF_CHARS) return text
  const head = text.slice(0, MAX_HANDOFF_CHARS)
  return head.slice(0, head.includes('\n') ? head.lastIndexOf('\n') : undefined).toWellFormed()
}

/** Absolute, from folders that no project controls; the user may name any program by its absolute path. */
export function findWriterProgram(name: string, env: NodeJS.ProcessEnv): string | undefined {
  if (isAbsolute(name)) return name
  if (name.includes('/')) return undefined
  const folders = [...programFolders({ env }), ...pathOutsideProjects({ env }).split(delimiter)]
  return findProgramIn(
    folders.filter((folder) => folder !== ''),
    name,
  )
}

function requireProgram(name: string, env: NodeJS.ProcessEnv): string {
  const path = findWriterProgram(name, env)
  if (path !== undefined) return path
  throw new HoldfastError('not-found', `The program ${JSON.stringify(name)} of digest.command was not found.`, {
    hint: 'Install it, or set digest.command to its absolute path; a path relative to a project is never used.',
  })
}

/**
 * Without the marks of a session that runs `holdfast digest`: the writer is not part of it, and Claude Code refuses to start
 * where `CLAUDECODE` is set. The daemon inherits none of them, nor any API key. Scripts that begin with `env node` need a
 * node: the one that runs Holdfast is there if no other is.
 */
function buildEnvironment(env: NodeJS.ProcessEnv, program: string, extra: Readonly<Record<string, string>>) {
  const path = [pathOutsideProjects({ env }), dirname(program), dirname(process.execPath)]
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => !SESSION_MARKS.test(name)))
  return { ...own, ...extra, PATH: path.filter((part) => part !== '').join(delimiter), [HOLDFAST_OFF]: '1' }
}

interface ProgramEnd {
  readonly stdout: string
  readonly stderr: string
  readonly ended: string | undefined
}

function runWriter(
  [program, ...args]: readonly [string, ...(readonly string[])],
  {
    cwd,
    env,
    input,
    timeoutMs,
    signal,
  }: Omit<HandoffOptions, 'home'> & { readonly cwd: string; readonly input: string },
): Promise<ProgramEnd> {
  return new Promise((resolve) => {
    let [stdout, stderr] = ['', '']
    let why: string | undefined
    const child = spawn(program, args, {
      cwd,
      env,
      detached: process.platform !== 'win32',
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    })
    const stop = (reason: string) => {
      why ??= reason
      killGroup(child.pid)
    }
    const timer = setTimeout(() => stop(`did not end within ${timeoutMs / 1_000} s (digest.timeoutMs)`), timeoutMs)
    const onAbort = () => stop('was stopped')
    signal?.addEventListener('abort', onAbort, { once: true })
    const finish = (ended: string | undefined) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      resolve({ stdout, stderr, ended: why ?? ended })
    }
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      if (stdout.length <= MAX_HANDOFF_CHARS * 2) stdout += chunk
    })
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      stderr = (stderr + chunk).slice(-4_000)
    })
    // A program need not read its input.
    child.stdin.on('error', () => undefined).end(input)
    child.on('error', (error) => finish(`did not start: ${error.message}`))
    afterLastOutput(child, (code, killedBy) => finish(code === 0 ? undefined : `ended with ${killedBy ?? code}`))
  })
}

/** The lines that say most are usually the last. */
function renderTail(text: string): string {
  const lines = stripVTControlCharacters(text)
    .trim()
    .split(/\s*\n\s*/)
  return lines.slice(-3).join(' ').slice(-MAX_ERROR_CHARS)
}

async function runProgram(
  spec: Extract<DigestWriterSpec, { kind: 'program' }>,
  input: string,
  options: HandoffOptions,
): Promise<string> {
  const [name, ...args] = spec.words
  const program = requireProgram(name, options.env)
  const env = buildEnvironment(options.env, program, spec.env)
  // In an empty folder: neither the project's instructions nor its settings apply to it.
  const { stdout, stderr, ended } = await withScratchDir(
    (cwd) => runWriter([program, ...args], { ...options, env, cwd, input }),
    options.home,
  )
  if (ended === undefined) return stdout
  const said = renderTail(stderr) || renderTail(stdout)
  throw new HoldfastError('unsupported', `${name} ${ended}${said === '' ? '.' : `: ${said}`}`, {
    hint: `Try it by hand: \`holdfast digest --excerpt | ${name} …\`.`,
  })
}

/** Runs the configured writer on the excerpt. Refuses with the reason when it fails or prints nothing. */
export async function writeHandoff(spec: DigestWriterSpec, input: string, options: HandoffOptions): Promise<string> {
  const output =
    spec.kind === 'server'
      ? await askLocalServer(spec, input, options).catch((thrown: unknown) => {
          throw thrown instanceof HoldfastError
            ? thrown
            : new HoldfastError('unsupported', `${spec.url} did not answer: ${getErrorMessage(thrown)}.`, {
                hint: 'Start the server, or set digest.url to where it listens.',
                cause: thrown,
              })
        })
      : await runProgram(spec, input, options)
  const text = cleanHandoff(output)
  if (text !== '') return text
  throw new HoldfastError('unsupported', 'digest.command printed nothing.', {
    hint: 'It must print the handoff on stdout.',
  })
}
