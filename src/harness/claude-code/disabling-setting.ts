import { hookListEdit } from '../../install/edits/hook-list.ts'
import {
  findValue,
  isStrictJson,
  NOT_STRICT,
  parseSettings,
  parseStrict,
} from '../../install/contract/settings-text.ts'
import { isOurHook } from './hook-entries.ts'
import * as z from 'zod'

const texts = z.array(z.string()).optional()
/** Entries of these lists that are not text are skipped one by one. */
const rules = z.array(z.unknown()).optional()

/** The field that each kind of entry requires; a kind that is not listed may be known to a newer client. */
const SAYS: Readonly<Record<string, string>> = { command: 'command', http: 'url', prompt: 'prompt', agent: 'prompt' }

const Entry = z
  .looseObject({ type: z.string(), timeout: z.number().positive().optional(), async: z.boolean().optional() })
  .superRefine((entry, context) => {
    const field = SAYS[entry.type]
    if (field === undefined || typeof entry[field] === 'string') return
    context.addIssue({ code: 'invalid_type', expected: 'string', path: [field], input: entry[field] })
  })
const groups = z.array(z.looseObject({ matcher: z.string().optional(), hooks: z.array(Entry) })).optional()

const [flag, text, list] = [z.boolean().optional(), z.string().optional(), z.array(z.unknown()).optional()]
const record = z.looseObject({}).optional()

/**
 * The fields for which Claude Code 2.1.325 drops the whole file when they have another type. A wrong entry of other
 * hooks than these two is skipped by itself.
 */
const Settings = z.looseObject({
  $schema: text,
  permissions: z
    .looseObject({ allow: rules, deny: rules, ask: rules, additionalDirectories: texts, defaultMode: text })
    .optional(),
  hooks: z.looseObject({ PreToolUse: groups, PermissionRequest: groups }).optional(),
  env: record,
  statusLine: z.looseObject({ type: z.literal('command'), command: z.string() }).optional(),
  enabledPlugins: record,
  sandbox: record,
  fileSuggestion: record,
  worktree: record,
  model: text,
  agent: text,
  outputStyle: text,
  language: text,
  apiKeyHelper: text,
  awsAuthRefresh: text,
  awsCredentialExport: text,
  gcpAuthRefresh: text,
  otelHeadersHelper: text,
  plansDirectory: text,
  minimumVersion: text,
  cleanupPeriodDays: z.number().positive().optional(),
  disableAllHooks: flag,
  allowManagedHooksOnly: flag,
  includeCoAuthoredBy: flag,
  includeGitInstructions: flag,
  enableAllProjectMcpServers: flag,
  alwaysThinkingEnabled: flag,
  autoMemoryEnabled: flag,
  spinnerTipsEnabled: flag,
  respectGitignore: flag,
  skipWebFetchPreflight: flag,
  prefersReducedMotion: flag,
  showTurnDuration: flag,
  fastMode: flag,
  verbose: flag,
  companyAnnouncements: list,
  availableModels: list,
  allowedHttpHookUrls: list,
  httpHookAllowedEnvVars: list,
  claudeMdExcludes: list,
})

/** The field for which the client drops the whole settings file; undefined where it would not, as far as we know. */
export function findMistyped(settings: unknown): string | undefined {
  const issue = Settings.safeParse(settings).error?.issues[0]
  if (issue === undefined) return undefined
  const wanted = issue.code === 'invalid_type' ? ` (${issue.expected} wanted)` : ''
  return `${issue.path.join('.')} of a wrong type${wanted}`
}

/** The second is effective only in the administrator's file. */
const SILENCERS = ['disableAllHooks', 'allowManagedHooksOnly'] as const

/** Claude Code 2.1.325 drops a whole settings file for a comment, a trailing comma or a field of the wrong type. Hooks in other files still run. */
function findDropped(text: string, path: string): string | undefined {
  if (text.trim() === '') return undefined
  const reason = isStrictJson(text) ? findMistyped(parseStrict(text)) : NOT_STRICT
  const isOursThere = () => hookListEdit({ path, hooks: new Map(), isOurs: isOurHook }).find(text).size > 0
  return reason !== undefined && isOursThere() ? reason : undefined
}

export function findDisablingSetting(text: string, path: string): string | undefined {
  const settings = parseSettings(text, path)
  return findDropped(text, path) ?? SILENCERS.find((name) => findValue(settings, name)?.value === true)
}
