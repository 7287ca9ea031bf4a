import { InvalidArgumentError } from 'commander'
import { MAX_KEY_CHARS, SessionKey } from '../../kernel/id.ts'
import type { CommandInput } from './command.ts'

type Options = CommandInput['options']

/** For commander: turns an argument's text into a whole number, or says what it should have been. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (Number.isInteger(value) && value >= min && value <= max) return value
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`)
  }
}

/** For commander: what names a session. A variable that was empty in somebody's script is no session. */
export function sessionKey(text: string): SessionKey {
  if (text.trim() !== '' && text.length <= MAX_KEY_CHARS) return SessionKey(text)
  throw new InvalidArgumentError(
    text.length > MAX_KEY_CHARS
      ? `A session's key has at most ${MAX_KEY_CHARS} characters.`
      : 'It must be the key of a session: `holdfast sessions list` shows them.',
  )
}

/** For commander: an option that may be given again and again. */
export function collect(text: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, text]
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
