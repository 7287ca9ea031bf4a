import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { HoldfastError } from '../../kernel/errors.ts'
import { VERSION } from '../../platform/base/version.ts'
import { findProgram } from '../../install/installed-program.ts'
import { harnessOfCommand } from '../../install/edits/launcher-command.ts'
import type { SetupWorld, TrustAnswer } from '../../install/contract/setup.ts'
import { CODEX } from './events.ts'

/** Codex answers within a second; a machine under load may take many. */
const DEADLINE_MS = 30_000

const Message = z.looseObject({ id: z.number().optional(), result: z.unknown().optional() })
const HooksList = z.object({
  data: z.array(
    z.object({
      hooks: z.array(
        z.object({
          eventName: z.string(),
          command: z.string().nullish(),
          enabled: z.boolean().default(true),
          trustStatus: z.string(),
        }),
      ),
      warnings: z.array(z.string()).default([]),
      errors: z.array(z.unknown()).default([]),
    }),
  ),
})

/** `preToolUse` is what the hooks file calls `PreToolUse`. */
const asWritten = (event: string): string => event.charAt(0).toUpperCase() + event.slice(1)

/** As `holdfast init` writes it, or as the plugin for Codex does. */
const isOurs = (command: string): boolean =>
  harnessOfCommand(command) === CODEX || /\bholdfast hook codex \w+/.test(command)

export function readTrust(result: unknown): TrustAnswer {
  const parsed = HooksList.safeParse(result)
  if (!parsed.success)
    throw new HoldfastError('internal', 'What Codex answered to hooks/list cannot be read.', {
      hint: 'Look in Codex itself: type /hooks.',
      cause: parsed.error,
    })
  const hooks = parsed.data.data.flatMap((place) => place.hooks)
  const ours = hooks.filter(({ command }) => isOurs(command ?? ''))
  const willRun = (hook: (typeof ours)[number]) =>
    hook.enabled && (hook.trustStatus === 'trusted' || hook.trustStatus === 'managed')
  const names = (list: typeof ours) => [...new Set(list.map(({ eventName }) => asWritten(eventName)))].toSorted()
  return {
    trusted: names(ours.filter(willRun)),
    untrusted: names(ours.filter((hook) => !willRun(hook))),
    warnings: parsed.data.data.flatMap(({ warnings, errors }) => [
      ...warnings,
      ...errors.map((error) => (typeof error === 'string' ? error : JSON.stringify(error))),
    ]),
  }
}

/** Asks `codex app-server` for its list of hooks: a conversation of three lines. It starts no session and asks no model. */
function askHooksList(program: string, world: SetupWorld): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, ['app-server'], {
      cwd: world.cwd,
      env: world.env,
      stdio: ['pipe', 'pipe', 'ignore'],
      shell: world.platform === 'win32',
    })
    const timer = setTimeout(() => end(new Error(`no answer within ${DEADLINE_MS / 1_000} s`)), DEADLINE_MS)
    const send = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`)
    function end(failure?: Error, result?: unknown): void {
      clearTimeout(timer)
      child.kill('SIGKILL')
      if (failure === undefined) resolve(result)
      else reject(failure)
    }
    child.once('error', end)
    child.once('close', () => end(new Error('it ended without an answer')))
    // Whoever ended says so itself; a pipe that broke because of it is no news.
    child.stdin.on('error', () => undefined)
    createInterface({ input: child.stdout }).on('line', (line) => {
      const message = Message.safeParse(parseLine(line))
      if (!message.success) return
      if (message.data.id === 0) {
        send({ method: 'initialized' })
        send({ id: 1, method: 'hooks/list', params: { cwds: [world.cwd] } })
      }
      if (message.data.id === 1) end(undefined, message.data.result)
    })
    const clientInfo = { name: 'holdfast', title: 'Holdfast', version: VERSION }
    send({ id: 0, method: 'initialize', params: { clientInfo } })
  })
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    // A log line among the answers is none of ours.
    return undefined
  }
}

export async function askTrust(world: SetupWorld): Promise<TrustAnswer | undefined> {
  const program = findProgram(world, ['codex'])
  if (program === undefined) return undefined
  try {
    return readTrust(await askHooksList(program, world))
  } catch (cause) {
    if (cause instanceof HoldfastError) throw cause
    throw new HoldfastError('internal', `${program} app-server could not be asked for its hooks.`, {
      hint: 'Look in Codex itself: type /hooks.',
      cause,
    })
  }
}
