import { getErrorMessage } from '../../kernel/errors.ts'
import { readDigestRuns } from '../../digest/io/digest-run-file.ts'
import { findWriterProgram } from '../../digest/io/write-handoff.ts'
import { listPresetNames, resolveWriter } from '../../digest/presets.ts'
import { writerPresets } from '../../harness/registry.ts'
import { systemClock } from '../../platform/base/clock.ts'
import type { CliContext } from '../shared/command.ts'
import { formatAge, oneLine } from '../shared/output.ts'
import { type Check, fail, ok, warn } from './checks.ts'

const SUBJECT = 'digest'
const TRY = 'Run `holdfast digest` to try it.'

/** `digest.command`: whether its program is there, and how its last run ended. Nothing if none is configured. */
export function checkDigest(context: Pick<CliContext, 'config' | 'env' | 'home'>): readonly Check[] {
  let name: string
  try {
    const spec = resolveWriter(context.config.digest, writerPresets)
    if (spec === undefined) return []
    name = spec.kind === 'server' ? spec.url : spec.words[0]
    if (spec.kind === 'program' && findWriterProgram(name, context.env) === undefined)
      return [
        fail(
          SUBJECT,
          `the program ${JSON.stringify(name)} of digest.command was not found`,
          `Set it to ${listPresetNames(writerPresets).join(', ')} or to an absolute path.`,
        ),
      ]
  } catch (thrown) {
    // A broken configuration has a check of its own.
    return [fail(SUBJECT, getErrorMessage(thrown), 'Correct digest.command in your own config.json.')]
  }
  const last = readDigestRuns(context.home).at(-1)
  if (last === undefined) return [ok(SUBJECT, `${name}, not run yet`)]
  const when = formatAge(last.at, systemClock.now())
  if (last.error !== undefined) return [warn(SUBJECT, `${name} failed ${when}: ${oneLine(last.error, 200)}`, TRY)]
  return [ok(SUBJECT, `${name} wrote ${last.chars ?? 0} characters ${when}, in ${Math.round(last.ms / 1_000)} s`)]
}
