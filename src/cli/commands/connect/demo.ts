import { isSet } from '../../shared/arguments.ts'
import type { CliCommand, CliIo, ExitCode } from '../../shared/command.ts'
import { DemoScene } from '../../demo/scene.ts'
import { type Narrate, type Story, tellStory } from '../../demo/story.ts'
import { colorsOf, oneLine, printJson, printLine, table } from '../../shared/output.ts'

function narrator(io: CliIo): Narrate {
  const { bold, dim } = colorsOf(io)
  return (step, detail) => {
    if (detail === undefined) printLine(io, `\n${bold(step)}`)
    else printLine(io, `  ${dim(step.padEnd(7))} ${oneLine(detail, 110)}`)
  }
}

function printStory(story: Story, io: CliIo): void {
  const { bold, dim } = colorsOf(io)
  const { text, checkpoints, reasons } = story.recovery
  printLine(io, `\n${text}`)
  const made = checkpoints.map(({ id, trigger }) => `${trigger} checkpoint ${id}`).join(', ')
  printLine(io, `\n${bold('Made from')} ${made}, composed from ${story.events} events. Why each line:`)
  io.out(
    table(
      reasons
        .filter(({ line, origin }) => line !== '' && origin !== 'identifiers')
        .map(({ line, origin, reason, verdict }) => [
          `  ${origin}`,
          oneLine(line, 60),
          dim(oneLine(verdict === undefined ? reason : `${reason}; ${verdict}`, 60)),
        ]),
    ),
  )
  const settings = story.isSettingsRestored ? 'byte for byte what it was' : 'NOT what it was'
  const seconds = (story.durationMs / 1_000).toFixed(1)
  printLine(
    io,
    `\n${bold('Uninstalled.')} settings.json is ${settings}; project, home and daemon are gone. (${seconds} s)`,
  )
}

/** Ctrl-C leaves no more behind than the end does. */
function clearedOnInterrupt(scene: DemoScene): Disposable {
  const clear = () => {
    void scene[Symbol.asyncDispose]().finally(() => process.exit(130))
  }
  process.once('SIGINT', clear).once('SIGTERM', clear)
  return { [Symbol.dispose]: () => void process.off('SIGINT', clear).off('SIGTERM', clear) }
}

export const demoCommand: CliCommand = {
  name: 'demo',
  summary: 'play the whole story in a temporary project: work, kill -9, recovery',
  configure(command) {
    command.addHelpText(
      'after',
      '\nTouches nothing of yours: its own project, home and Claude Code configuration, all in one temporary folder.',
    )
  },
  async run({ options, context: { env, io } }): Promise<ExitCode> {
    const asJson = isSet(options, 'json')
    let story: Story
    {
      await using scene = new DemoScene(env)
      using _ = clearedOnInterrupt(scene)
      story = await tellStory(scene, asJson ? () => undefined : narrator(io))
    }
    if (asJson) printJson(io, story)
    else printStory(story, io)
    return story.isSettingsRestored ? 0 : 1
  },
}
