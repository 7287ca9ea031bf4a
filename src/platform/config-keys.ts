import { z } from 'zod'
import { AUTOSAVE_MODES, type Config, EMBEDDINGS_MODES } from '../kernel/config.ts'
import { showStoreUrl } from '../redaction/store-address.ts'

const whole = (min: number, max: number) => z.int().min(min).max(max)
const DAY_MS = 86_400_000

/** The host as a whole: `localhost.example` is somebody else. */
const THIS_MACHINE = String.raw`(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?(?:[/?#]|$)`

/** What each key may hold. Words after a failed check come from `describeKey`. */
export const ConfigSchema = z.object({
  continuity: z.object({
    enabled: z.boolean(),
    promptInterval: whole(1, 1_000),
    timeIntervalMs: whole(1_000, 7 * DAY_MS),
    maxCheckpointsPerSession: whole(1, 10_000),
    retentionDays: whole(1, 36_500),
    eventRetentionDays: whole(1, 36_500),
    // Printed as JSON, quotes and line ends take two characters, and a hook's output of more than 9,500 is not printed at all.
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

/** Dotted, in the order they are shown. */
export const CONFIG_KEYS: readonly string[] = [...LEAVES.keys()]

export function schemaOf(key: string): z.ZodType | undefined {
  return LEAVES.get(key)
}

/** Grants a power that no repository, and no environment that a repository can prepare, may grant. */
const USER_FILE_ONLY: ReadonlySet<string> = new Set(['checklist.verifyOverMcp'])

/** Whether the setting counts only where it stands in the user's own file: no variable, flag or project sets it. */
export function isUserFileOnly(key: string): boolean {
  return USER_FILE_ONLY.has(key)
}

/** `continuity.promptInterval` → `HOLDFAST_CONTINUITY_PROMPT_INTERVAL`. */
export function envNameOf(key: string): string {
  return `HOLDFAST_${key
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace('.', '_')
    .toUpperCase()}`
}

function jsonSchemaOf(key: string): Readonly<Record<string, unknown>> {
  const schema = schemaOf(key)
  return schema === undefined ? {} : z.toJSONSchema(schema)
}

/** What a value of this key looks like, to end the sentence "it must be …". */
export function describeKey(key: string): string {
  const { type, minimum, maximum, enum: choices, pattern } = jsonSchemaOf(key)
  if (Array.isArray(choices)) return `one of ${choices.join(', ')}`
  if (type === 'boolean') return 'true or false'
  if (type === 'array') return 'a list of commands, each as it is written in the shell'
  if (type === 'integer') return `a whole number from ${String(minimum)} to ${String(maximum)}`
  if (type === 'number') return `a number from ${String(minimum)} to ${String(maximum)}`
  if (pattern === undefined) return 'text'
  if (key === 'store.person') return 'empty, or what the file `person` in another home holds'
  if (key === 'safety.probe')
    return 'empty, a command, or an address beginning with https:// (http:// only on this machine)'
  return key === 'outbox.url'
    ? 'empty, or an address beginning with https:// (http:// only on this machine)'
    : 'an address beginning with sqlite: or postgres://'
}

/** An address of another server may hold a name and a password, or a token among its parameters. */
function showAddress(text: string): string {
  return text.replace(/^([a-z][a-z\d+.-]*:\/\/)[^/?#]*@/i, '$1***@').replace(/\?.*$/s, '?***')
}

const ADDRESSES: ReadonlySet<string> = new Set(['store.url', 'outbox.url', 'safety.probe'])

/** Whether the setting may hold an address, and so a password. */
export function isAddress(key: string): boolean {
  return ADDRESSES.has(key)
}

/** The value for people, without what it must not tell. */
export function showSetting(key: string, value: unknown): unknown {
  if (typeof value !== 'string' || !isAddress(key)) return value
  return key === 'store.url' ? showStoreUrl(value) : showAddress(value)
}

/** One store holds all projects, and what these settings delete is the user's: a repository must not shorten how long it is kept. */
const DELETES: ReadonlySet<string> = new Set([
  'continuity.maxCheckpointsPerSession',
  'continuity.retentionDays',
  'continuity.eventRetentionDays',
])

/** Whether the setting decides what is deleted, so that no project sets it. */
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

/** A repository's own file comes from whoever wrote the repository: it may take from what Holdfast does, and never add. */
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
