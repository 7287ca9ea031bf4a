import { parse } from 'smol-toml'
import { asList, asObject, asText, isObject } from '../../kernel/json-shape.ts'
import { getValue } from '../../install/edits/json-location.ts'
import { findValue, isStrictJson, NOT_STRICT, parseSettings } from '../../install/contract/settings-text.ts'
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import * as z from 'zod'
import { HoldfastError } from '../../kernel/errors.ts'
import { VERSION } from '../../platform/base/version.ts'
import { findProgram } from '../../install/installed-program.ts'
import { findHarnessInCommand } from '../../install/edits/launcher-command.ts'
import type { SetupPorts, TrustAnswer } from '../../install/contract/setup.ts'
import { CODEX } from './events.ts'

const HANDLERS = new Set(['command', 'mcp_tool', 'prompt', 'agent'])
/** The second is the name of the first before it was stable. */
const FEATURES = ['hooks', 'codex_hooks'] as const

/** Codex 0.166 drops a whole hooks file for a comment, a byte order mark, or a handler of an unknown type. */
function findDropReason(text: string, path: string): string | undefined {
  if (text.trim() === '') return undefined
  if (text.startsWith('\uFEFF')) return 'byte order mark'
  if (!isStrictJson(text)) return NOT_STRICT
  const hooks = getValue(findValue(parseSettings(text, path), 'hooks'))
  const entries = Object.values(asObject(hooks)).flatMap((groups) =>
    asList(groups).flatMap((group) => asList(asObject(group).hooks)),
  )
  const strange = entries.find((entry) => isObject(entry) && !HANDLERS.has(asText(entry.type) ?? ''))
  return strange === undefined ? undefined : `"type": ${JSON.stringify(asObject(strange).type ?? null)}`
}

function findDisabledFeature(text: string): string | undefined {
  const config = asObject(parse(text.replace(/^\uFEFF/, '')))
  const features = asObject(config.features)
  const off = FEATURES.find((name) => features[name] === false)
  if (off !== undefined) return `features.${off} = false`
  return config.allow_managed_hooks_only === true ? 'allow_managed_hooks_only = true' : undefined
}

/** The setting in this file that keeps Codex from running our hooks at all. */
export function findDisablingSetting(text: string, path: string): string | undefined {
  return path.endsWith('.toml') ? findDisabledFeature(text) : findDropReason(text, path)
}

/** Codex answers within a second; a machine under load may need much longer. */
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

/** `preToolUse` is `PreToolUse` in the hooks file. */
const toHookName = (event: string): string => event.charAt(0).toUpperCase() + event.slice(1)

/** A command as `holdfast init` or the plugin for Codex writes it. */
const isOurs = (command: string): boolean =>
  findHarnessInCommand(command) === CODEX || /\bholdfast hook codex \w+/.test(command)

export function readTrust(result: unknown): TrustAnswer {
  const parsed = HooksList.safeParse(result)
  if (!parsed.success)
    throw new HoldfastError('internal', 'The answer of Codex to hooks/list cannot be read.', {
      hint: 'Check in Codex itself: type /hooks.',
      cause: parsed.error,
    })
  const hooks = parsed.data.data.flatMap((place) => place.hooks)
  const ours = hooks.filter(({ command }) => isOurs(command ?? ''))
  const willRun = (hook: (typeof ours)[number]) =>
    hook.enabled && (hook.trustStatus === 'trusted' || hook.trustStatus === 'managed')
  const names = (list: typeof ours) => [...new Set(list.map(({ eventName }) => toHookName(eventName)))].toSorted()
  return {
    trusted: names(ours.filter(willRun)),
    untrusted: names(ours.filter((hook) => !willRun(hook))),
    warnings: parsed.data.data.flatMap(({ warnings, errors }) => [
      ...warnings,
      ...errors.map((error) => (typeof error === 'string' ? error : JSON.stringify(error))),
    ]),
  }
}

/** Asks `codex app-server` for its list of hooks. That starts no session and calls no model. */
function askHooksList(program: string, ports: SetupPorts): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, ['app-server'], {
      cwd: ports.cwd,
      env: ports.env,
      stdio: ['pipe', 'pipe', 'ignore'],
      shell: ports.platform === 'win32',
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
    // The end of the process is reported by `close`; the broken pipe adds nothing.
    child.stdin.on('error', () => undefined)
    createInterface({ input: child.stdout }).on('line', (line) => {
      const message = Message.safeParse(parseLine(line))
      if (!message.success) return
      if (message.data.id === 0) {
        send({ method: 'initialized' })
        send({ id: 1, method: 'hooks/list', params: { cwds: [ports.cwd] } })
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
    // A log line between the answers.
    return undefined
  }
}

export async function askTrust(ports: SetupPorts): Promise<TrustAnswer | undefined> {
  const program = findProgram(ports, ['codex'])
  if (program === undefined) return undefined
  try {
    return readTrust(await askHooksList(program, ports))
  } catch (cause) {
    if (cause instanceof HoldfastError) throw cause
    throw new HoldfastError('internal', `${program} app-server did not list its hooks.`, {
      hint: 'Check in Codex itself: type /hooks.',
      cause,
    })
  }
}
