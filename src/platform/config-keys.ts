import { z } from 'zod'
import { AUTOSAVE_MODES, type Config, EMBEDDINGS_MODES } from '../kernel/config.ts'
import { showStoreUrl } from '../redaction/store-address.ts'

const whole = (min: number, max: number) => z.int().min(min).max(max)
const DAY_MS = 86_400_000

/** Matches the whole host: `localhost.example` is another machine. */
const THIS_MACHINE = String.raw`(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?(?:[/?#]|$)`

/** The valid values of each key. Error messages come from `describeKey`. */
export const ConfigSchema = z.object({
  continuity: z.object({
    enabled: z.boolean(),
    promptInterval: whole(1, 1_000),
    timeIntervalMs: whole(1_000, 7 * DAY_MS),
    maxCheckpointsPerSession: whole(1, 10_000),
    retentionDays: whole(1, 36_500),
    eventRetentionDays: whole(1, 36_500),
    // In JSON, quotes and newlines take two characters, and a hook's output over 9,500 characters is not printed at all.
    recoveryBudgetChars: whole(200, 8_000),
    recoveryWindowMs: whole(0, 3_650 * DAY_MS),
    debounceMs: whole(0, 600_000),
  }),
  memory: z.object({
    inject: z.boolean(),
    maxPerPrompt: whole(0, 20),
    minCoverage: z.number().min(0).max(1),
    embeddings: z.enum(EMBEDDINGS_MODES),
    failedApproaches: z.boolean(),
  }),
  loops: z.object({ warn: z.boolean(), repeats: whole(2, 100) }),
  daemon: z.object({
    port: whole(0, 65_535),
    idleExitMs: whole(1_000, 30 * DAY_MS),
    assumeLiveMs: whole(1_000, 30 * DAY_MS),
  }),
  autosave: z.object({
    mode: z.enum(AUTOSAVE_MODES),
    bufferPercent: whole(1, 100),
    contextPercent: whole(1, 100),
    contextWindowTokens: whole(0, 100_000_000),
    idleMs: whole(60_000, 7 * DAY_MS),
    minIntervalMs: whole(0, 7 * DAY_MS),
  }),
  index: z.object({ refreshMs: whole(0, 30 * DAY_MS) }),
  scorer: z.object({ enabled: z.boolean() }),
  resume: z.object({ confirm: z.enum(['always', 'interactive', 'never']) }),
  store: z.object({
    url: z.string().regex(/^(?:sqlite:|postgres:\/\/|postgresql:\/\/)/),
    person: z.string().regex(/^(?:$|[\w-]{8,64}$)/),
  }),
  outbox: z.object({ url: z.string().regex(new RegExp(`^(?:$|https://|http://${THIS_MACHINE})`)) }),
  safety: z.object({
    probe: z
      .string()
      .max(2_000)
      .regex(new RegExp(`^(?!http://(?!${THIS_MACHINE}))`)),
  }),
  redaction: z.object({ envFiles: z.boolean() }),
  checklist: z.object({ verifyOverMcp: z.array(z.string().trim().min(1).max(4_000)).max(100) }),
  log: z.object({ level: z.enum(['debug', 'info', 'warn', 'error']) }),
}) satisfies z.ZodType<Config>

const LEAVES: ReadonlyMap<string, z.ZodType> = new Map(
  Object.entries(ConfigSchema.shape).flatMap(([section, object]) =>
    Object.entries(object.shape).map(([key, schema]): [string, z.ZodType] => [`${section}.${key}`, schema]),
  ),
)

/** Dotted, in display order. */
export const CONFIG_KEYS: readonly string[] = [...LEAVES.keys()]

export function getKeySchema(key: string): z.ZodType | undefined {
  return LEAVES.get(key)
}

/** Settings that no repository, and no environment that a repository can prepare, may change. */
const USER_FILE_ONLY: ReadonlySet<string> = new Set(['checklist.verifyOverMcp'])

/** Whether the setting is read only from the user's own file, not from variables, flags or projects. */
export function isUserFileOnly(key: string): boolean {
  return USER_FILE_ONLY.has(key)
}

/** `continuity.promptInterval` → `HOLDFAST_CONTINUITY_PROMPT_INTERVAL`. */
export function toEnvName(key: string): string {
  return `HOLDFAST_${key
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace('.', '_')
    .toUpperCase()}`
}

function toJsonSchema(key: string): Readonly<Record<string, unknown>> {
  const schema = getKeySchema(key)
  return schema === undefined ? {} : z.toJSONSchema(schema)
}

/** Describes a valid value; completes the sentence "it must be …". */
export function describeKey(key: string): string {
  const { type, minimum, maximum, enum: choices, pattern } = toJsonSchema(key)
  if (Array.isArray(choices)) return `one of ${choices.join(', ')}`
  if (type === 'boolean') return 'true or false'
  if (type === 'array') return 'a list of commands, each as typed in a shell'
  if (type === 'integer') return `a whole number from ${String(minimum)} to ${String(maximum)}`
  if (type === 'number') return `a number from ${String(minimum)} to ${String(maximum)}`
  if (pattern === undefined) return 'text'
  if (key === 'store.person') return 'empty, or the content of the file `person` in another home'
  if (key === 'safety.probe') return 'empty, a command, or a URL starting with https:// (http:// only on this machine)'
  return key === 'outbox.url'
    ? 'empty, or a URL starting with https:// (http:// only on this machine)'
    : 'a URL starting with sqlite: or postgres://'
}

/** The URL of a server may hold a user and a password, or a token in its parameters. */
function showAddress(text: string): string {
  return text.replace(/^([a-z][a-z\d+.-]*:\/\/)[^/?#]*@/i, '$1***@').replace(/\?.*$/s, '?***')
}

const ADDRESSES: ReadonlySet<string> = new Set(['store.url', 'outbox.url', 'safety.probe'])

/** Whether the setting may hold a URL, and so a password. */
export function isAddress(key: string): boolean {
  return ADDRESSES.has(key)
}

/** The value for display, without passwords. */
export function showSetting(key: string, value: unknown): unknown {
  if (typeof value !== 'string' || !isAddress(key)) return value
  return key === 'store.url' ? showStoreUrl(value) : showAddress(value)
}

/** One store holds all projects, and these settings delete the user's data: a repository must not shorten the retention. */
const DELETES: ReadonlySet<string> = new Set([
  'continuity.maxCheckpointsPerSession',
  'continuity.retentionDays',
  'continuity.eventRetentionDays',
])

/** Whether the setting decides what is deleted; a project cannot set it. */
export function isRetention(key: string): boolean {
  return DELETES.has(key)
}

type Tightens = (value: unknown, current: unknown) => boolean

const isSmaller: Tightens = (value, current) => Number(value) < Number(current)
const isLarger: Tightens = (value, current) => Number(value) > Number(current)
const isFalse: Tightens = (value) => value === false
const isZero: Tightens = (value) => value === 0
const isTrue: Tightens = (value) => value === true
const CONFIRM_ORDER = ['never', 'interactive', 'always']
const asksMore: Tightens = (value, current) =>
  CONFIRM_ORDER.indexOf(String(value)) > CONFIRM_ORDER.indexOf(String(current))

const savesLess: Tightens = (value, current) =>
  AUTOSAVE_MODES.findIndex((mode) => mode === value) < AUTOSAVE_MODES.findIndex((mode) => mode === current)

/** The project file comes from the author of the repository: it may restrict what Holdfast does, never extend it. */
const TIGHTENS: Readonly<Record<string, Tightens>> = {
  'continuity.enabled': isFalse,
  'continuity.recoveryBudgetChars': isSmaller,
  'continuity.recoveryWindowMs': isSmaller,
  'memory.inject': isFalse,
  'memory.maxPerPrompt': isSmaller,
  'memory.minCoverage': isLarger,
  'memory.failedApproaches': isFalse,
  'loops.warn': isFalse,
  'loops.repeats': isLarger,
  'autosave.mode': savesLess,
  'index.refreshMs': isZero,
  'scorer.enabled': isFalse,
  'resume.confirm': asksMore,
  'redaction.envFiles': isTrue,
}

export function isTightening(key: string, value: unknown, current: unknown): boolean {
  return TIGHTENS[key]?.(value, current) ?? false
}
