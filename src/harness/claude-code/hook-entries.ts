import { isObject, asText } from '../../kernel/json-shape.ts'
import { findHarnessInCommand } from '../../install/edits/launcher-command.ts'
import type { HttpWiring } from '../../install/contract/setup.ts'
import { CLAUDE_CODE } from './events.ts'

export interface HookWiring {
  readonly command: (hook: string) => string
  /** Set when hooks may call the daemon by HTTP. */
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

const CHANGING_TOOLS =
  'Edit|MultiEdit|Write|NotebookEdit|Bash|PowerShell|Monitor|Task|Agent|EnterWorktree|Artifact|WebFetch|mcp__.*'

/** Nothing else limits a call to a stopped daemon. */
const HTTP_TIMEOUT_S = 1

/**
 * Every hook we install, with its timeout in seconds: far above our own deadlines, so that Claude Code never has to cut
 * a hook off. Events of HTTP hooks that are missed while the daemon is down are read from the transcript later (ADR
 * 0026).
 */
const HOOKS: readonly {
  readonly hook: string
  readonly timeoutS: number
  readonly mayUseHttp: boolean
  /** The tools it applies to; all where absent. */
  readonly matcher?: string
}[] = [
  { hook: 'SessionStart', timeoutS: 10, mayUseHttp: false },
  { hook: 'UserPromptSubmit', timeoutS: 5, mayUseHttp: false },
  // Only tools that can change something: a tool that only reads is never warned about or refused.
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

/** Wraps each entry in the group that the settings file expects, with its matcher. */
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

/** The entries that the settings should contain, by hook. */
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

/** Whether an entry of the user's settings is one that this version or an older one writes. */
export function isOurHook(entry: unknown): boolean {
  if (!isObject(entry)) return false
  if (entry.type === 'http') return OUR_URL.test(asText(entry.url) ?? '')
  return findHarnessInCommand(asText(entry.command) ?? '') === CLAUDE_CODE
}
