import type { ConsideredPrompt } from '../../../memory/prompt/prompt-memories.ts'
import type { Injection } from '../../../kernel/injection.ts'
import { SessionKey } from '../../../kernel/id.ts'
import { systemClock } from '../../../platform/base/clock.ts'
import { isSet, sessionKey } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import {
  type Colors,
  formatAge,
  getColors,
  count,
  oneLine,
  printableName,
  printJson,
  printLine,
} from '../../shared/output.ts'

function renderInjection(injection: Injection, now: string, { bold, dim }: Colors): string {
  const head = `${bold(injection.kind)}, ${formatAge(injection.at, now)}, ${count(injection.chars, 'character')}`
  const sources = injection.sources.length === 0 ? '' : dim(`  sources: ${injection.sources.join(', ')}\n`)
  const lines = injection.reasons.map(({ line, origin, reason, verdict }) => {
    const checked = verdict === undefined ? '' : ` [${verdict}]`
    if (line === '') return dim(`  ${oneLine(`${origin}: ${reason}`, 140)}\n`)
    return `  ${oneLine(line, 110)}\n${dim(`      ${oneLine(`${origin}: ${reason}${checked}`, 140)}`)}\n`
  })
  return `${head}\n${sources}${lines.join('')}`
}

function renderPrompt({ at, prompt, isOn, memories }: ConsideredPrompt, now: string, { bold, dim }: Colors): string {
  const head = `${bold('prompt')}, ${formatAge(at, now)}: ${oneLine(prompt, 100)}\n`
  if (!isOn) return `${head}${dim('  memory.inject is off: no memories are added to prompts\n')}`
  if (memories.length === 0) return `${head}${dim('  no memory shares a keyword with it\n')}`
  const lines = memories.map(({ id, content, outcome, reason }) => {
    return `  ${outcome.padEnd(20)} ${oneLine(content, 90)}\n${dim(`      ${oneLine(`${id}: ${reason}`, 240)}`)}\n`
  })
  return `${head}${lines.join('')}`
}

export const explainCommand: CliCommand = {
  configure(command) {
    command
      .argument('[session]', 'a session key (default: the newest session here that got text)', sessionKey)
      .option('--session <key>', 'the same, as an option', sessionKey)
      .addHelpText('after', '\nExample:\n  holdfast explain --session 3f2a --json')
  },
  async run({ args: [positional], options, context }) {
    const session = typeof options.session === 'string' ? options.session : positional
    const continuity = await context.continuity()
    const explanation = await continuity.explain(
      session === undefined ? { cwd: context.cwd } : { sessionKey: SessionKey(session) },
    )
    if (isSet(options, 'json')) {
      printJson(context.io, explanation)
      return 0
    }
    const colors = getColors(context.io)
    printLine(context.io, `Session ${printableName(explanation.session.key)} (${explanation.session.harness})`)
    if (explanation.injections.length === 0) printLine(context.io, 'No text was added to its context.')
    const now = systemClock.now()
    for (const injection of explanation.injections) {
      context.io.out(`\n${renderInjection(injection, now, colors)}`)
    }
    if (explanation.prompts.length > 0) printLine(context.io, '\nMemories considered for its latest prompts:')
    for (const prompt of explanation.prompts) context.io.out(`\n${renderPrompt(prompt, now, colors)}`)
    return 0
  },
}
