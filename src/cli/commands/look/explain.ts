import type { ConsideredPrompt } from '../../../memory/prompt/prompt-memories.ts'
import type { Injection } from '../../../kernel/injection.ts'
import { SessionKey } from '../../../kernel/id.ts'
import { systemClock } from '../../../platform/base/clock.ts'
import { isSet, sessionKey } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { type Colors, age, colorsOf, count, oneLine, printableName, printJson, printLine } from '../../shared/output.ts'

function explanationOf(injection: Injection, now: string, { bold, dim }: Colors): string {
  const head = `${bold(injection.kind)}, ${age(injection.at, now)}, ${count(injection.chars, 'character')}`
  const made = injection.sources.length === 0 ? '' : dim(`  made from ${injection.sources.join(', ')}\n`)
  const lines = injection.reasons.map(({ line, origin, reason, verdict }) => {
    const checked = verdict === undefined ? '' : ` [${verdict}]`
    if (line === '') return dim(`  ${oneLine(`${origin}: ${reason}`, 140)}\n`)
    return `  ${oneLine(line, 110)}\n${dim(`      ${oneLine(`${origin}: ${reason}${checked}`, 140)}`)}\n`
  })
  return `${head}\n${made}${lines.join('')}`
}

function consideredOf({ at, prompt, isOn, memories }: ConsideredPrompt, now: string, { bold, dim }: Colors): string {
  const head = `${bold('prompt')}, ${age(at, now)}: ${oneLine(prompt, 100)}\n`
  if (!isOn) return `${head}${dim('  memory.inject is off: no memory is put before a prompt\n')}`
  if (memories.length === 0) return `${head}${dim('  no memory shares a word with it\n')}`
  const lines = memories.map(({ id, content, outcome, reason }) => {
    return `  ${outcome.padEnd(20)} ${oneLine(content, 90)}\n${dim(`      ${oneLine(`${id}: ${reason}`, 240)}`)}\n`
  })
  return `${head}${lines.join('')}`
}

export const explainCommand: CliCommand = {
  name: 'explain',
  summary: 'what was put before an agent, line by line, and why; what was not, and why not',
  configure(command) {
    command
      .argument('[session]', 'a session key; without one, the newest session here that was told something', sessionKey)
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
    const colors = colorsOf(context.io)
    printLine(context.io, `Session ${printableName(explanation.session.key)} (${explanation.session.harness})`)
    if (explanation.injections.length === 0) printLine(context.io, 'Nothing was put before its agent.')
    const now = systemClock.now()
    for (const injection of explanation.injections) {
      context.io.out(`\n${explanationOf(injection, now, colors)}`)
    }
    if (explanation.prompts.length > 0) printLine(context.io, '\nMemories found for its latest prompts:')
    for (const prompt of explanation.prompts) context.io.out(`\n${consideredOf(prompt, now, colors)}`)
    return 0
  },
}
