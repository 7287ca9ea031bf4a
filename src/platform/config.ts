import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type CaptureLevel, type Config, createConfig, SETTINGS_BY_KEY, toSettingKey } from '../kernel/config.ts'
import { HoldfastError, getErrorMessage } from '../kernel/errors.ts'
import { createRedactor } from '../redaction/redactor.ts'
import { toEnvName } from './config-display.ts'
import { getErrorCode } from './base/errno.ts'
import type { Home } from './base/home.ts'
import { isObject } from '../kernel/json-shape.ts'

export type ConfigOrigin = 'default' | 'user' | 'project' | 'env' | 'flag'

export interface ConfigValue {
  readonly value: unknown
  readonly origin: ConfigOrigin
  /** The file for `user` and `project`; the variable's name for `env`. */
  readonly file?: string
}

export interface LoadedConfig {
  readonly config: Config
  /** By dotted key, every key. */
  readonly origins: Readonly<Record<string, ConfigValue>>
  /** Sentences about what was ignored. */
  readonly warnings: readonly string[]
}

export interface ConfigSources {
  readonly home: Pick<Home, 'configFile'>
  readonly env: NodeJS.ProcessEnv
  /** Where to search for the project file; without it there is none. */
  readonly cwd?: string
  /** Dotted keys with values, or values as text. */
  readonly flags?: Readonly<Record<string, unknown>>
}

const MAX_FILE_BYTES = 65_536

/** Undefined when there is no such file. With `isForeign` a link is not followed: a repository controls its own links. */
function readConfigFile(file: string, isForeign: boolean): string | undefined {
  if (isForeign && lstatSync(dirname(file), { throwIfNoEntry: false })?.isSymbolicLink() === true)
    throw new Error('its folder is a link')
  let fd: number
  try {
    fd = openSync(
      file,
      constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (isForeign ? (constants.O_NOFOLLOW ?? 0) : 0),
    )
  } catch (thrown) {
    if (getErrorCode(thrown) === 'ENOENT' || getErrorCode(thrown) === 'ENOTDIR') return undefined
    throw thrown
  }
  try {
    const facts = fstatSync(fd)
    if (!facts.isFile()) throw new Error('it is not a regular file')
    if (facts.size > MAX_FILE_BYTES) throw new Error(`it is larger than ${MAX_FILE_BYTES} bytes`)
    return readFileSync(fd, 'utf8')
  } finally {
    closeSync(fd)
  }
}

/** Dotted keys and values of a parsed file with sections one level deep. */
function flatten(parsed: unknown): readonly (readonly [string, unknown])[] {
  if (!isObject(parsed)) throw new Error('it does not hold a JSON object')
  return Object.entries(parsed).flatMap(([section, keys]): (readonly [string, unknown])[] =>
    isObject(keys)
      ? Object.entries(keys).map(([key, value]) => [`${section}.${key}`, value])
      : [[toSettingKey(section), keys]],
  )
}

function parseFile(file: string, isForeign: boolean): readonly (readonly [string, unknown])[] {
  const text = readConfigFile(file, isForeign)
  return text === undefined || text.trim() === '' ? [] : flatten(JSON.parse(text.replace(/^\uFEFF/, '')))
}

function findRepository(cwd: string): string | undefined {
  if (existsSync(join(cwd, '.git'))) return cwd
  return dirname(cwd) === cwd ? undefined : findRepository(dirname(cwd))
}

/** At the repository's top level; outside a repository in `cwd` itself, not above, where others may have put a file. */
export function findProjectFile(cwd: string, home: Pick<Home, 'configFile'>): string | undefined {
  const file = join(findRepository(cwd) ?? cwd, '.holdfast', 'config.json')
  return file === home.configFile ? undefined : file
}

/** When the project's file was last written; undefined if there is none, or none that can be read. */
export function readProjectStamp(cwd: string, home: Pick<Home, 'configFile'>): number | undefined {
  try {
    const file = findProjectFile(cwd, home)
    return file === undefined ? undefined : statSync(file, { throwIfNoEntry: false })?.mtimeMs
  } catch {
    // A name that is too long, or a folder of another user: loading it reports the error.
    return undefined
  }
}

/** Converts text from a variable or a flag to the key's type. */
function fromText(key: string, text: unknown): unknown {
  if (typeof text !== 'string') return text
  const type = SETTINGS_BY_KEY.get(key)?.rule.type
  if (type === 'flag') {
    if (/^(?:true|1|yes|on)$/i.test(text)) return true
    return /^(?:false|0|no|off)$/i.test(text) ? false : text
  }
  return type === 'number' && text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text
}

/** The message goes into logs. An invalid URL is not shown at all: its password may be anywhere in it. */
function showValue(key: string, value: unknown): string {
  if (SETTINGS_BY_KEY.get(key)?.isAddress === true) return 'not usable'
  return createRedactor()
    .redact(JSON.stringify(value) ?? 'undefined')
    .slice(0, 100)
}

/** The parser quotes the text around the error, which may be part of a password. */
function withoutQuote(message: string): string {
  return message
    .replace(/, (?:\.{3})?"[\s\S]*"(?:\.{3})? is not valid JSON$/, ', so it is not JSON')
    .replace(/token '?\s+'?,/, 'newline,')
}

function badValue(key: string, value: unknown, where: string): HoldfastError {
  const shown = showValue(key, value)
  return new HoldfastError(
    'invalid-input',
    `${key} is ${shown} in ${where}; it must be ${SETTINGS_BY_KEY.get(key)?.rule.description ?? ''}.`,
    {
      hint: `Correct ${key} there, or remove it to get the default.`,
    },
  )
}

class ConfigLayers {
  readonly origins: Record<string, ConfigValue> = {}
  readonly warnings: string[] = []

  constructor() {
    for (const [key, { initial }] of SETTINGS_BY_KEY) this.origins[key] = { value: initial, origin: 'default' }
  }

  private accept(key: string, value: unknown, found: Omit<ConfigValue, 'value'> & { where: string }): void {
    const parsed = SETTINGS_BY_KEY.get(key)?.rule.parse(value)
    if (parsed === undefined) throw badValue(key, value, found.where)
    const { where: _where, ...origin } = found
    this.origins[key] = { value: parsed, ...origin }
  }

  addUserFile(file: string): void {
    let entries: readonly (readonly [string, unknown])[]
    try {
      entries = parseFile(file, false)
    } catch (thrown) {
      throw new HoldfastError(
        'settings-unreadable',
        `${file} cannot be read: ${withoutQuote(getErrorMessage(thrown))}.`,
        {
          hint: 'Correct the file, or move it away to get the defaults.',
          cause: thrown,
        },
      )
    }
    for (const [key, value] of entries) {
      if (!SETTINGS_BY_KEY.has(key)) this.warnings.push(`${file}: unknown setting ${key}; it is ignored.`)
      else this.accept(key, value, { origin: 'user', file, where: file })
    }
  }

  /** Never throws: a repository must not be able to disable Holdfast. */
  addProjectFile(file: string): void {
    try {
      for (const [key, value] of parseFile(file, true)) {
        const setting = SETTINGS_BY_KEY.get(key)
        const current = this.origins[key]?.value
        if (setting?.rule.parse(value) === undefined)
          this.warnings.push(`${file}: ${key} is not a setting with that value; it is ignored.`)
        else if (value === current) continue
        else if (setting.isRetention === true)
          this.warnings.push(
            `${file}: ${key} controls deletion in the whole store; only the user can set it, so it is ignored here.`,
          )
        else if (setting.tightens?.(value, current) !== true)
          this.warnings.push(`${file}: a project may only tighten settings; ${key} is ignored.`)
        else this.accept(key, value, { origin: 'project', file, where: file })
      }
    } catch (thrown) {
      this.warnings.push(`${file} cannot be read: ${withoutQuote(getErrorMessage(thrown))}; it is ignored.`)
    }
  }

  addEnv(env: NodeJS.ProcessEnv): void {
    for (const [key, setting] of SETTINGS_BY_KEY) {
      const name = toEnvName(key)
      const text = env[name]
      if (text === undefined || text === '') continue
      if (setting.isUserFileOnly === true) {
        this.warnings.push(`${name}: ${key} can be set only in the user's config.json; it is ignored.`)
        continue
      }
      this.accept(key, fromText(key, text), { origin: 'env', file: name, where: `the environment variable ${name}` })
    }
  }

  addFlags(flags: Readonly<Record<string, unknown>>): void {
    for (const [key, value] of Object.entries(flags)) {
      const setting = SETTINGS_BY_KEY.get(key)
      if (setting === undefined)
        throw new HoldfastError('invalid-input', `Unknown setting ${key}.`, {
          hint: 'Run `holdfast config` to see them.',
        })
      if (setting.isUserFileOnly === true)
        throw new HoldfastError('invalid-input', `${key} can be set only in the user's config.json.`, {
          hint: 'Write it there.',
        })
      this.accept(key, fromText(key, value), { origin: 'flag', where: 'the command line' })
    }
  }

  toConfig(): Config {
    const values = new Map(Object.entries(this.origins).map(([key, { value }]) => [key, value]))
    // One switch for everything that depends on whether a project is recorded.
    if (values.get('continuity.capture') === 'off') values.set('continuity.enabled', false)
    return createConfig(values)
  }
}

/** The value that this text gives the key; throws for an unknown key and for a value that its rule refuses. */
export function parseSetting(key: string, text: string): unknown {
  const setting = SETTINGS_BY_KEY.get(key)
  if (setting === undefined)
    throw new HoldfastError('invalid-input', `Unknown setting ${key}.`, { hint: 'Run `holdfast config` to see them.' })
  const value = setting.rule.parse(setting.rule.type === 'list' ? parseList(text) : fromText(key, text))
  if (value === undefined)
    throw new HoldfastError('invalid-input', `${key} must be ${setting.rule.description}, not ${showValue(key, text)}.`)
  return value
}

function parseList(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Refused by the rule, which says what a list looks like.
    return undefined
  }
}

/** What may be stored of a session in this folder. A configuration that cannot be read restricts nothing: the daemon refuses it. */
export function readCaptureLevel(home: Pick<Home, 'configFile'>, cwd: string | undefined): CaptureLevel {
  try {
    const { continuity } = loadConfig({ home, env: {}, ...(cwd !== undefined && { cwd }) }).config
    return continuity.enabled ? continuity.capture : 'off'
  } catch {
    return 'full'
  }
}

/** Defaults ← user file ← project file (may only tighten) ← environment ← flags. Throws on an invalid value and names its source. */
export function loadConfig(sources: ConfigSources): LoadedConfig {
  const layers = new ConfigLayers()
  layers.addUserFile(sources.home.configFile)
  const projectFile = sources.cwd === undefined ? undefined : findProjectFile(sources.cwd, sources.home)
  if (projectFile !== undefined) layers.addProjectFile(projectFile)
  layers.addEnv(sources.env)
  layers.addFlags(sources.flags ?? {})
  return { config: layers.toConfig(), origins: layers.origins, warnings: layers.warnings }
}
