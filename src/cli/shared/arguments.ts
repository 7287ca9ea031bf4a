import { InvalidArgumentError, Option } from 'commander'
import { MAX_KEY_CHARS, SessionKey } from '../../kernel/id.ts'
import type { CommandInput } from './command.ts'
import { resolve } from 'node:path'
import { type MemoryType, MEMORY_TYPES } from '../../kernel/memory.ts'

export function memoryTypeOption(description: string): Option {
  return new Option('--type <type>', description).choices(MEMORY_TYPES)
}

export function findMemoryType(value: unknown): MemoryType | undefined {
  return MEMORY_TYPES.find((type) => type === value)
}

/** `--project` without a value means the current project; without the option, all projects. */
export function projectOption(options: Readonly<Record<string, unknown>>, cwd: string): { readonly cwd?: string } {
  const { project } = options
  if (project === true) return { cwd }
  return typeof project === 'string' ? { cwd: resolve(cwd, project) } : {}
}

type Options = CommandInput['options']

/** A commander parser for whole numbers in a range. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (Number.isInteger(value) && value >= min && value <= max) return value
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`)
  }
}

/** A commander parser for session keys. Refuses an empty text: an unset variable in a script must not mean "no session". */
export function sessionKey(text: string): SessionKey {
  if (text.trim() !== '' && text.length <= MAX_KEY_CHARS) return SessionKey(text)
  throw new InvalidArgumentError(
    text.length > MAX_KEY_CHARS
      ? `A session key has at most ${MAX_KEY_CHARS} characters.`
      : 'It must be a session key: `holdfast sessions list` shows them.',
  )
}

/** A commander parser for an option that may be repeated. */
export function collect(text: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, text]
}

/** As `collect`, for one of these: an option's own parser replaces the check of its `choices`. */
export function collectChoice(choices: readonly string[]): typeof collect {
  return (text, previous) => {
    if (choices.includes(text)) return collect(text, previous)
    throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`)
  }
}

export function textOption(options: Options, name: string): string | undefined {
  const value = options[name]
  return typeof value === 'string' ? value : undefined
}

export function numberOption(options: Options, name: string): number | undefined {
  const value = options[name]
  return typeof value === 'number' ? value : undefined
}

export function listOption(options: Options, name: string): readonly string[] {
  const value = options[name]
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : []
}

export function isSet(options: Options, name: string): boolean {
  return options[name] === true
}
