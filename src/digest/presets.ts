import type { DigestConfig } from '../kernel/config.ts'
import type { WriterPreset } from '../kernel/digest-writer.ts'
import { HoldfastError } from '../kernel/errors.ts'
import { splitArguments } from '../kernel/shell/command-line.ts'

/** Set for every program that Holdfast starts for a digest; hooks and plugins of Holdfast do nothing where it is set. */
export const HOLDFAST_OFF = 'HOLDFAST_OFF'

/** The writer of the handoff: a program that reads stdin, or a server on this machine. */
export type DigestWriterSpec =
  | {
      readonly kind: 'program'
      /** The program and its arguments. */
      readonly words: readonly [string, ...(readonly string[])]
      readonly env: Readonly<Record<string, string>>
    }
  | { readonly kind: 'server'; readonly url: string; readonly model: string }

const LOCAL = 'local'

export function listPresetNames(presets: readonly WriterPreset[]): readonly string[] {
  return [...presets.map(({ name }) => name), LOCAL]
}

/** Undefined when no program is configured. */
export function resolveWriter(
  { command: setting, url, model }: DigestConfig,
  presets: readonly WriterPreset[],
): DigestWriterSpec | undefined {
  const command = setting.trim()
  if (command === '') return undefined
  if (command === LOCAL) return { kind: 'server', url, model }
  const preset = presets.find(({ name }) => name === command)
  if (preset !== undefined) {
    const chosen = model === '' ? [] : [preset.modelFlag, model]
    return { kind: 'program', words: [...preset.words, ...chosen], env: preset.env ?? {} }
  }
  const [program, ...args] = splitArguments(command)
  if (program === undefined) return undefined
  return { kind: 'program', words: [program, ...args], env: {} }
}

export function getWriter(config: DigestConfig, presets: readonly WriterPreset[]): DigestWriterSpec {
  const spec = resolveWriter(config, presets)
  if (spec !== undefined) return spec
  throw new HoldfastError('invalid-input', 'No program is configured that writes digests.', {
    hint: `Set digest.command in your own config.json to ${listPresetNames(presets).join(', ')}, or to a program that reads the excerpt on stdin and prints a handoff.`,
  })
}
