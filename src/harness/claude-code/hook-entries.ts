import { isObject, textOf } from '../json-shape.ts'
import { CLAUDE_CODE } from './events.ts'

export interface HookWiring {
  /** What harness processes run: the launcher, or on Windows Node with the hook bundle. */
  readonly program: readonly [string, ...string[]]
  readonly platform: 'posix' | 'windows'
  /** Set when Holdfast's home is not where hooks would look by themselves. */
  readonly home?: string
  /** Set when hooks may go straight to the daemon. */
  readonly http?: { readonly port: number; readonly token: string }
}

export type HookEntry =
  | { readonly type: 'command'; readonly command: string; readonly timeout: number }
  | {
      readonly type: 'http'
      readonly url: string
      readonly headers: Readonly<Record<string, string>>
      readonly timeout: number
    }

export const PROBE_HOOK = 'HoldfastProbe'

/**
 * Every hook we install, with its timeout in seconds: far above our own deadlines, so that Claude Code never has to
 * cut a hook off. Those that may go by HTTP are made good from the transcript when the daemon is away (ADR 0003).
 */
const HOOKS: readonly { readonly hook: string; readonly timeoutS: number; readonly mayUseHttp: boolean }[] = [
  { hook: 'SessionStart', timeoutS: 10, mayUseHttp: false },
  { hook: 'UserPromptSubmit', timeoutS: 5, mayUseHttp: false },
  { hook: 'PostToolUse', timeoutS: 5, mayUseHttp: true },
  { hook: 'PostToolUseFailure', timeoutS: 5, mayUseHttp: true },
  { hook: 'SubagentStart', timeoutS: 5, mayUseHttp: true },
  { hook: 'SubagentStop', timeoutS: 5, mayUseHttp: true },
  { hook: 'PreCompact', timeoutS: 10, mayUseHttp: false },
  { hook: 'PostCompact', timeoutS: 5, mayUseHttp: false },
  { hook: 'Stop', timeoutS: 5, mayUseHttp: false },
  { hook: 'SessionEnd', timeoutS: 5, mayUseHttp: false },
]

function posixQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

export function hookCommand(hook: string, wiring: HookWiring): string {
  if (wiring.platform === 'windows') {
    const words = wiring.program.map((word) => `"${word}"`)
    return [...words, CLAUDE_CODE, hook].join(' ')
  }
  const home = wiring.home === undefined ? [] : [`HOLDFAST_HOME=${posixQuoted(wiring.home)}`]
  return [...home, 'HOLDFAST_PID="$CLAUDE_PID"', ...wiring.program.map(posixQuoted), CLAUDE_CODE, hook].join(' ')
}

export function hookUrl(hook: string, port: number): string {
  return `http://127.0.0.1:${port}/hook/${CLAUDE_CODE}/${hook}`
}

/** What the settings should hold, by hook. */
export function hookEntries(wiring: HookWiring): ReadonlyMap<string, HookEntry> {
  return new Map(
    HOOKS.map(({ hook, timeoutS, mayUseHttp }) => {
      const { http } = wiring
      return [
        hook,
        mayUseHttp && http !== undefined
          ? {
              type: 'http',
              url: hookUrl(hook, http.port),
              headers: { Authorization: `Bearer ${http.token}` },
              timeout: timeoutS,
            }
          : { type: 'command', command: hookCommand(hook, wiring), timeout: timeoutS },
      ]
    }),
  )
}

const OUR_COMMAND = /(?:launcher\.sh|hook\.cjs)['"]? claude-code \w+\s*$/
const OUR_URL = /^http:\/\/127\.0\.0\.1:\d+\/hook\/claude-code\/\w+$/

/** Whether an entry of somebody's settings is one that we write, in this version or an older one. */
export function isOurHook(entry: unknown): boolean {
  if (!isObject(entry)) return false
  if (entry.type === 'http') return OUR_URL.test(textOf(entry.url) ?? '')
  return OUR_COMMAND.test(textOf(entry.command) ?? '')
}
