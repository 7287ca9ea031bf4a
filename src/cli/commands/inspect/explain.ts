import type { Continuity } from '../../../app/continuity.ts'
import type { ConsideredPrompt } from '../../../memory/prompt/prompt-memories.ts'
import type { DigestRun } from '../../../digest/run-limits.ts'
import { readDigestRuns } from '../../../digest/io/digest-run-file.ts'
import type { Injection } from '../../../kernel/injection.ts'
import { HoldfastError } from '../../../kernel/errors.ts'
import { SessionKey } from '../../../kernel/id.ts'
import { systemClock } from '../../../platform/base/clock.ts'
import { isSet, sessionKey, numberOption, wholeNumber } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import {
  CHECKED_LINE,
  type Colors,
  formatAge,
  getColors,
  count,
  oneLine,
  printable,
  printableName,
  printJson,
  printLine,
  SWITCHED_OFF,
} from '../../shared/output.ts'

function renderInjection(injection: Injection, now: string, { bold, dim }: Colors): string {
  const head = `${bold(injection.kind)}, ${formatAge(injection.at, now)}, ${count(injection.chars, 'character')}`
  const sources = injection.sources.length === 0 ? '' : dim(`  sources: ${injection.sources.join(', ')}\n`)
  // The plain reason is enough beside the session's name.
  const isChosen = injection.reasons.some(({ origin }) => origin === 'chosen')
  const reasons = injection.reasons.filter(({ origin }) => !isChosen || origin !== 'selection')
  const lines = reasons.map(({ line, origin, reason, verdict }) => {
    const checked = verdict === undefined ? '' : ` [${CHECKED_LINE[verdict]}]`
    if (line === '') return dim(`  ${oneLine(`${origin}: ${reason}`, 200)}\n`)
    return `  ${oneLine(line, 110)}\n${dim(`      ${oneLine(`${origin}: ${reason}${checked}`, 140)}`)}\n`
  })
  return `${head}\n${sources}${lines.join('')}`
}

function renderRun({ at, chars, error }: DigestRun, now: string, { bold }: Colors): string {
  const result = error === undefined ? `wrote ${count(chars ?? 0, 'character')}` : `failed: ${oneLine(error, 200)}`
  return `${bold('digest.command')}, ${formatAge(at, now)}: ${result}`
}

function renderPrompt({ at, prompt, isOn, memories }: ConsideredPrompt, now: string, { bold, dim }: Colors): string {
  const head = `${bold('prompt')}, ${formatAge(at, now)}: ${oneLine(prompt, 100)}\n`
  if (!isOn) return `${head}${dim('  memory.inject is off: no memories are added to prompts\n')}`
  if (memories.length === 0) return `${head}${dim('  no memory shares a keyword with it\n')}`
  const lines = memories.map(({ id, content, outcome, reason }) => {
    const mark = outcome === 'shown' ? 'shown' : 'not shown'
    return `  ${mark.padEnd(10)} ${oneLine(content, 90)}\n${dim(`      ${oneLine(`${id}: ${reason}`, 240)}`)}\n`
  })
  return `${head}${lines.join('')}`
}

/** Undefined if there is no session here; an unknown key is an error. */
async function explainOrNothing(
  continuity: Pick<Continuity, 'explain'>,
  input: Parameters<Continuity['explain']>[0],
): Promise<Awaited<ReturnType<Continuity['explain']>> | undefined> {
  try {
    return await continuity.explain(input)
  } catch (thrown) {
    if (input.sessionKey === undefined && thrown instanceof HoldfastError && thrown.code === 'not-found')
      return undefined
    throw thrown
  }
}

export const explainCommand: CliCommand = {
  configure(command) {
    command
      .argument('[session]', 'a session key (default: the newest session here with injected text)', sessionKey)
      .option('--session <key>', 'the session key, given as an option', sessionKey)
      .option(
        '--past <n>',
        'show instead the recoveries that the last <n> sessions here would have got',
        wholeNumber(1, 20),
      )
      .option('--next', 'show instead the recovery that a session starting here now would get, and why')
      .addHelpText('after', '\nExample:\n  holdfast explain --session 3f2a --json')
  },
  async run({ args: [positional], options, context }) {
    const session = typeof options.session === 'string' ? options.session : positional
    const continuity = await context.continuity()
    const past = numberOption(options, 'past')
    if (past !== undefined) {
      const hindsight = await continuity.hindsight({ cwd: context.cwd, limit: past })
      if (isSet(options, 'json')) printJson(context.io, hindsight)
      for (const { session: one, recovery } of isSet(options, 'json') ? [] : hindsight)
        printLine(
          context.io,
          `${one.startedAt}  ${printableName(one.key)}\n${printable(recovery.text) || 'Nothing.'}\n`,
        )
      return 0
    }
    if (isSet(options, 'next')) {
      const recovery = await continuity.previewRecovery({ cwd: context.cwd })
      if (isSet(options, 'json')) printJson(context.io, recovery)
      else {
        printLine(context.io, `${printable(recovery.text) || 'Nothing.'}\n`)
        for (const { line, origin, reason, verdict } of recovery.reasons)
          printLine(
            context.io,
            `${printable(line === '' ? origin : line)}: ${reason}${verdict ? ` (${CHECKED_LINE[verdict]})` : ''}`,
          )
      }
      return 0
    }
    const explanation = await explainOrNothing(
      continuity,
      session === undefined ? { cwd: context.cwd } : { sessionKey: SessionKey(session) },
    )
    if (explanation === undefined) {
      if (isSet(options, 'json')) printJson(context.io, { injections: [], prompts: [] })
      else
        printLine(
          context.io,
          context.config.continuity.enabled
            ? 'No text was added to a session here yet. It will be at the start of the second session.'
            : SWITCHED_OFF,
        )
      return 0
    }
    const runs = readDigestRuns(context.home).filter(({ sessionId }) => sessionId === explanation.session.id)
    if (isSet(options, 'json')) {
      printJson(context.io, { ...explanation, digestRuns: runs })
      return 0
    }
    const colors = getColors(context.io)
    printLine(context.io, `Session ${printableName(explanation.session.key)} (${explanation.session.harness})`)
    if (explanation.injections.length === 0) printLine(context.io, 'No text that was added to its context is stored.')
    const now = systemClock.now()
    for (const injection of explanation.injections) {
      printLine(context.io, `\n${renderInjection(injection, now, colors).trimEnd()}`)
    }
    for (const run of runs) printLine(context.io, `\n${renderRun(run, now, colors)}`)
    if (explanation.prompts.length > 0) printLine(context.io, '\nMemories considered for its latest prompts:')
    for (const prompt of explanation.prompts) printLine(context.io, `\n${renderPrompt(prompt, now, colors).trimEnd()}`)
    return 0
  },
}
