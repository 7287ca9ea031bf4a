import type { Injection } from '../../core/injection.ts'
import { SessionKey } from '../../core/id.ts'
import { systemClock } from '../../platform/clock.ts'
import { isSet } from '../arguments.ts'
import type { CliCommand } from '../command.ts'
import type { Colors } from '../output.ts'
import { age, colorsOf, count, oneLine, printable, printJson, printLine } from '../output.ts'

function explanationOf(injection: Injection, now: string, { bold, dim }: Colors): string {
  const head = `${bold(injection.kind)}, ${age(injection.at, now)}, ${count(injection.chars, 'character')}`
  const made = injection.sources.length === 0 ? '' : dim(`  made from ${injection.sources.join(', ')}\n`)
  const lines = injection.reasons.map(({ line, origin, reason, verdict }) => {
    const checked = verdict === undefined ? '' : ` [${verdict}]`
    return `  ${oneLine(line, 110)}\n${dim(`      ${oneLine(`${origin}: ${reason}${checked}`, 140)}`)}\n`
  })
  return `${head}\n${made}${lines.join('')}`
}

export const explainCommand: CliCommand = {
  name: 'explain',
  summary: 'what was put before an agent, line by line, and why',
  configure(command) {
    command.argument('[session]', 'a session key; without one, the newest session here that was told something')
  },
  async run({ args: [session], options, context }) {
    const continuity = await context.continuity()
    const explanation = await continuity.explain(
      session === undefined ? { cwd: context.cwd } : { sessionKey: SessionKey(session) },
    )
    if (isSet(options, 'json')) {
      printJson(context.io, explanation)
      return 0
    }
    const colors = colorsOf(context.io)
    printLine(context.io, `Session ${printable(explanation.session.key)} (${explanation.session.harness})`)
    if (explanation.injections.length === 0) printLine(context.io, 'Nothing was put before its agent.')
    const now = systemClock.now()
    for (const injection of explanation.injections) {
      context.io.out(`\n${explanationOf(injection, now, colors)}`)
    }
    return 0
  },
}
