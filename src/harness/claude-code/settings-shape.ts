import * as z from 'zod'

const texts = z.array(z.string()).optional()
/** What is no text in one of these is passed over by itself. */
const rules = z.array(z.unknown()).optional()

/** Each kind has to say what it does; a kind that is not known here may be known to a newer client. */
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
 * The fields for which Claude Code 2.1.325 was seen to drop the whole file when they are of another type. In other hooks than these
 * two an entry that is wrong is passed over by itself.
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

/** The field for which the client drops these settings as a whole; undefined where it would not, as far as we know. */
export function findMistyped(settings: unknown): string | undefined {
  const issue = Settings.safeParse(settings).error?.issues[0]
  if (issue === undefined) return undefined
  const wanted = issue.code === 'invalid_type' ? ` (${issue.expected} wanted)` : ''
  return `${issue.path.join('.')} of a wrong type${wanted}`
}
