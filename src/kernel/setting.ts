/** What a setting accepts, and the value that it stands for; undefined if it is not valid. */
interface ValueRule<T> {
  readonly type: 'flag' | 'number' | 'text' | 'list'
  /** Completes the sentence "it must be …". */
  readonly description: string
  parse(value: unknown): T | undefined
}

interface SettingOptions<T> {
  /** Whether a project's value restricts what Holdfast does; without it a project cannot set the key. */
  tightens?(value: T, current: T): boolean
  /** It decides what is deleted. One store holds all projects, so a repository must not set it. */
  readonly isRetention?: boolean
  /** It may hold a URL, and so a password. */
  readonly isAddress?: boolean
  /** No repository, and no environment that a repository can prepare, may change it. */
  readonly isUserFileOnly?: boolean
}

/** One key of the configuration: everything that is known of it. */
export interface ConfigSetting<T> extends SettingOptions<T> {
  readonly initial: T
  /** For users, in the generated reference. */
  readonly meaning: string
  readonly rule: ValueRule<T>
}

export const isSmaller = (value: number, current: number): boolean => value < current
export const isLarger = (value: number, current: number): boolean => value > current
export const isOff = (value: boolean): boolean => !value
export const isOn = (value: boolean): boolean => value
export const isZero = (value: number): boolean => value === 0
/** The values are ordered from the most restrictive one. */
export function isEarlierIn<T>(values: readonly T[]): (value: T, current: T) => boolean {
  return (value, current) => values.indexOf(value) < values.indexOf(current)
}

export function flag(initial: boolean, meaning: string, options: SettingOptions<boolean> = {}): ConfigSetting<boolean> {
  const parse = (value: unknown) => (typeof value === 'boolean' ? value : undefined)
  return { initial, meaning, ...options, rule: { type: 'flag', description: 'true or false', parse } }
}

type Range = readonly [min: number, max: number]

function inRange(value: unknown, [min, max]: Range): value is number {
  return typeof value === 'number' && value >= min && value <= max
}

export function whole(initial: number, range: Range, meaning: string, options: SettingOptions<number> = {}) {
  const parse = (value: unknown) => (inRange(value, range) && Number.isInteger(value) ? value : undefined)
  const description = `a whole number from ${range[0]} to ${range[1]}`
  return { initial, meaning, ...options, rule: { type: 'number', description, parse } } satisfies ConfigSetting<number>
}

export function decimal(initial: number, range: Range, meaning: string, options: SettingOptions<number> = {}) {
  const parse = (value: unknown) => (inRange(value, range) ? value : undefined)
  const description = `a number from ${range[0]} to ${range[1]}`
  return { initial, meaning, ...options, rule: { type: 'number', description, parse } } satisfies ConfigSetting<number>
}

export function choice<const T extends string>(
  initial: NoInfer<T>,
  values: readonly T[],
  meaning: string,
  options: SettingOptions<T> = {},
): ConfigSetting<T> {
  const parse = (value: unknown) => values.find((one) => one === value)
  return { initial, meaning, ...options, rule: { type: 'text', description: `one of ${values.join(', ')}`, parse } }
}

/** Text that matches `pattern`. */
export function text(
  initial: string,
  [pattern, description]: readonly [pattern: RegExp, description: string],
  meaning: string,
  options: SettingOptions<string> = {},
): ConfigSetting<string> {
  const parse = (value: unknown) => (typeof value === 'string' && pattern.test(value) ? value : undefined)
  return { initial, meaning, ...options, rule: { type: 'text', description, parse } }
}

const MAX_COMMANDS = 100
const MAX_COMMAND_CHARS = 4_000

/** A list of command lines, empty by default. */
export function commands(
  meaning: string,
  options: SettingOptions<readonly string[]> = {},
): ConfigSetting<readonly string[]> {
  const parse = (value: unknown) => {
    if (!Array.isArray(value) || value.length > MAX_COMMANDS) return undefined
    const lines = value.map((line: unknown) => (typeof line === 'string' ? line.trim() : ''))
    return lines.every((line) => line !== '' && line.length <= MAX_COMMAND_CHARS) ? lines : undefined
  }
  const description = 'a list of commands, each as typed in a shell'
  return { initial: [], meaning, ...options, rule: { type: 'list', description, parse } }
}
