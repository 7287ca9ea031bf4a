import { isObject, textOf } from '../../kernel/json-shape.ts'
import { harnessOfCommand } from '../../install/edits/launcher-command.ts'
import type { HttpWiring } from '../../install/contract/setup.ts'
import { CLAUDE_CODE } from './events.ts'

export interface HookWiring {
  /** The command line for a hook. */
  readonly command: (hook: string) => string
  /** Set when hooks may go straight to the daemon. */
  readonly http?: HttpWiring
}

export type HookEntry =
  | { readonly type: 'command'; readonly command: string; readonly timeout: number }
  | {
      readonly type: 'http'
      readonly url: string
      readonly headers: Readonly<Record<string, string>>
      readonly timeout: number
    }

const CHANGING_TOOLS = 'Edit|MultiEdit|Write|NotebookEdit|Bash|PowerShell|Task|Agent|WebFetch|mcp__.*'

/** Nothing else bounds a call to a daemon that is stopped. */
const HTTP_TIMEOUT_S = 1

/**
 * Every hook we install, with its timeout in seconds: far above our own deadlines, so that Claude Code never has to
 * cut a hook off. Those that may go by HTTP are made good from the transcript when the daemon is away (ADR 0026).
 */
const HOOKS: readonly {
  readonly hook: string
  readonly timeoutS: number
  readonly mayUseHttp: boolean
  /** Which tools it is about; all where absent. */
  readonly matcher?: string
}[] = [
  { hook: 'SessionStart', timeoutS: 10, mayUseHttp: false },
  { hook: 'UserPromptSubmit', timeoutS: 5, mayUseHttp: false },
  // Only what can change something: tools that read are never warned about or refused, and would wait for nothing.
  { hook: 'PreToolUse', timeoutS: 5, mayUseHttp: true, matcher: CHANGING_TOOLS },
  { hook: 'PostToolUse', timeoutS: 5, mayUseHttp: true },
  { hook: 'PostToolUseFailure', timeoutS: 5, mayUseHttp: true },
  { hook: 'SubagentStart', timeoutS: 5, mayUseHttp: true },
  { hook: 'SubagentStop', timeoutS: 5, mayUseHttp: true },
  { hook: 'PreCompact', timeoutS: 10, mayUseHttp: false },
  { hook: 'PostCompact', timeoutS: 5, mayUseHttp: false },
  { hook: 'Stop', timeoutS: 5, mayUseHttp: false },
  { hook: 'SessionEnd', timeoutS: 5, mayUseHttp: false },
]

/** Each entry as the settings hold it: in a group, which says what tools it is about. */
export function hookGroups(entries: ReadonlyMap<string, HookEntry>): ReadonlyMap<string, unknown> {
  return new Map(
    [...entries].map(([hook, entry]) => {
      const matcher = HOOKS.find((known) => known.hook === hook)?.matcher
      return [hook, matcher === undefined ? { hooks: [entry] } : { matcher, hooks: [entry] }]
    }),
  )
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
              timeout: HTTP_TIMEOUT_S,
            }
          : { type: 'command', command: wiring.command(hook), timeout: timeoutS },
      ]
    }),
  )
}

const OUR_URL = /^http:\/\/127\.0\.0\.1:\d+\/hook\/claude-code\/\w+$/

/** Whether an entry of somebody's settings is one that we write, in this version or an older one. */
export function isOurHook(entry: unknown): boolean {
  if (!isObject(entry)) return false
  if (entry.type === 'http') return OUR_URL.test(textOf(entry.url) ?? '')
  return harnessOfCommand(textOf(entry.command) ?? '') === CLAUDE_CODE
}
