import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { HoldfastError } from '../../../kernel/errors.ts'
import { SessionKey } from '../../../kernel/id.ts'
import { pathOutsideProjects } from '../../../platform/process/programs.ts'
import { isSet, sessionKey, textOption } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { printJson, printUnbroken } from '../../shared/output.ts'

export const resumeCommand: CliCommand = {
  configure(command) {
    command
      .argument('[session]', 'the session key, or a prefix of it (default: the latest of this project)', sessionKey)
      .option('--harness <id>', 'only a session of this harness')
      .option('--print', 'print the command instead of running it')
      .addHelpText('after', '\nWithout a terminal, and with --json, the command is printed and not run.')
  },
  async run({ args: [key], options, context }) {
    const { io, cwd } = context
    const continuity = await context.continuity()
    const harness = textOption(options, 'harness')
    // A harness stores nothing of a session without a prompt, and cannot open it again.
    const latest = (await continuity.listSessions({ cwd, limit: 50 })).find(
      (session) => session.promptCount > 0 && (harness === undefined || session.harness === harness),
    )
    const chosen = key === undefined ? latest?.key : SessionKey(key)
    if (chosen === undefined)
      throw new HoldfastError('not-found', 'No session with a prompt is recorded for this project.', {
        hint: '`holdfast sessions list --all` shows those of other projects.',
      })
    const reopen = await continuity.reopenCommand(chosen, harness ?? (key === undefined ? latest?.harness : undefined))
    if (isSet(options, 'json')) {
      printJson(io, reopen)
      return 0
    }
    const { command, text } = reopen
    if (command === undefined || text === undefined)
      throw new HoldfastError('unsupported', `${reopen.harness} has no command that opens a session again.`, {
        hint: `Open it in ${reopen.harness} itself; the session is ${reopen.sessionKey}. \`holdfast sessions show ${reopen.sessionKey}\` prints what was said.`,
      })
    if (isSet(options, 'print') || !io.isInteractive) {
      printUnbroken(io, text)
      return 0
    }
    const [program = '', ...words] = command
    const env = { ...context.env, PATH: pathOutsideProjects({ env: context.env, cwd: reopen.cwd ?? cwd }) }
    const child = spawn(program, words, { cwd: reopen.cwd ?? cwd, stdio: 'inherit', env })
    try {
      const [code]: readonly unknown[] = await once(child, 'exit')
      return code === 0 ? 0 : 1
    } catch (cause) {
      throw new HoldfastError('not-found', `${program} cannot be started in ${reopen.cwd ?? cwd}.`, {
        hint: `Run it yourself: ${text}`,
        cause,
      })
    }
  },
}
