import { HoldfastError } from '../../../kernel/errors.ts'
import { refuseSettings } from '../../../transfer/handoff/io/apply-patch.ts'
import type { Bundle } from '../../../transfer/handoff/io/bundle.ts'
import { isTrusted } from '../../../transfer/handoff/io/known-keys.ts'
import { isSet, textOption } from '../../shared/arguments.ts'
import type { CliContext, CommandInput } from '../../shared/command.ts'
import { oneLine, printLine } from '../../shared/output.ts'
import { confirm } from '../../setup/setup-ports.ts'

export const MIN_KEY_CHARS = 16

/** By the key that was named, or because it was accepted before, or because somebody says so now. */
export async function isAccepted(
  { signedBy }: Bundle,
  options: CommandInput['options'],
  context: CliContext,
): Promise<boolean> {
  const named = textOption(options, 'key')?.toLowerCase()
  if (named !== undefined) {
    if (named.length >= MIN_KEY_CHARS && signedBy.startsWith(named)) return true
    throw new HoldfastError('forbidden', `The bundle is signed by key ${signedBy}, not by the one that was named.`, {
      hint: `Give at least ${MIN_KEY_CHARS} characters of the key, as its owner reads it out.`,
    })
  }
  if (isSet(options, 'yes') || (await isTrusted(context.home, signedBy))) return true
  if (!context.io.isInteractive || isSet(options, 'json'))
    throw new HoldfastError('forbidden', `Key ${signedBy} has not signed anything for you before.`, {
      hint: 'Compare it with what `holdfast handoff export` showed its owner, then say `--key <it>`, or `--yes`.',
    })
  return confirm(context, `Key ${signedBy} has not signed anything for you before. Is it whom you expect?`)
}

/** Never by `--yes`, which speaks of the key. */
export async function isSettingsChangeAllowed(
  settings: readonly string[],
  options: CommandInput['options'],
  context: CliContext,
): Promise<boolean> {
  if (settings.length === 0 || isSet(options, 'allowSettings')) return true
  if (!context.io.isInteractive || isSet(options, 'json')) throw refuseSettings(settings)
  for (const path of settings) printLine(context.io, `  ${oneLine(path, 120)}`)
  return confirm(
    context,
    'Tools run these files of the patch or read them as their settings, or it makes them executable. Apply it?',
  )
}
