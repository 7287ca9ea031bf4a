import { isSet } from '../../shared/arguments.ts'
import type { CliCommand, CliIo, ExitCode } from '../../shared/command.ts'
import { DemoProject } from '../../demo/demo-project.ts'
import { type Narrate, type Story, runStory } from '../../demo/story.ts'
import { CHECKED_LINE, getColors, oneLine, printJson, printLine, table } from '../../shared/output.ts'

function narrator(io: CliIo): Narrate {
  const { bold, dim } = getColors(io)
  return (step, detail) => {
    if (detail === undefined) printLine(io, `\n${bold(step)}`)
    else printLine(io, `  ${dim(step.padEnd(7))} ${oneLine(detail, 110)}`)
  }
}

function printStory(story: Story, io: CliIo): void {
  const { bold, dim } = getColors(io)
  const { text, checkpoints, reasons } = story.recovery
  printLine(io, `\n${text}`)
  const made = checkpoints.map(({ id, trigger }) => `${trigger} checkpoint ${id}`).join(', ')
  printLine(io, `\n${bold('Source:')} ${made}, ${story.events} events. Why each line is there:`)
  io.out(
    table(
      reasons
        .filter(({ line }) => line !== '')
        .map(({ line, origin, reason, verdict }) => [
          `  ${origin}`,
          oneLine(line, 60),
          dim(oneLine(verdict === undefined ? reason : `${reason}; ${CHECKED_LINE[verdict]}`, 60)),
        ]),
    ),
  )
  const settings = story.isSettingsRestored ? 'restored byte for byte' : 'NOT restored'
  const seconds = (story.durationMs / 1_000).toFixed(1)
  printLine(
    io,
    `\n${bold('Uninstalled.')} settings.json is ${settings}; project, home and daemon were removed. (${seconds} s)`,
  )
}

/** Removes everything on Ctrl-C too. */
function removeOnInterrupt(project: DemoProject): Disposable {
  const clear = () => {
    void project[Symbol.asyncDispose]().finally(() => process.exit(130))
  }
  process.once('SIGINT', clear).once('SIGTERM', clear)
  return { [Symbol.dispose]: () => void process.off('SIGINT', clear).off('SIGTERM', clear) }
}

export const demoCommand: CliCommand = {
  configure(command) {
    command.addHelpText(
      'after',
      '\nDoes not touch your files: its project, home and Claude Code configuration are\nin one temporary folder, which is deleted at the end.',
    )
  },
  async run({ options, context: { env, io } }): Promise<ExitCode> {
    const asJson = isSet(options, 'json')
    let story: Story
    {
      await using project = new DemoProject(env)
      using _ = removeOnInterrupt(project)
      story = await runStory(project, asJson ? () => undefined : narrator(io))
    }
    if (asJson) printJson(io, story)
    else printStory(story, io)
    return story.isSettingsRestored ? 0 : 1
  },
}
