import { resolve } from 'node:path'
import { isSet } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { printable, printJson, printLine } from '../../shared/output.ts'

export const projectsRegisterCommand: CliCommand = {
  name: 'projects register',
  summary: 'give this project, or another, a name',
  configure(command) {
    command
      .argument('<name>', 'what to call it')
      .argument('[directory]', 'its root; without, where you are')
      .addHelpText('after', '\nExample:\n  holdfast projects register web-shop ~/src/shop')
  },
  async run({ args, options, context }) {
    const [name = '', directory = '.'] = args
    const door = await context.door()
    const project = await door.registerProject({ name, rootPath: resolve(context.cwd, directory) })
    if (isSet(options, 'json')) printJson(context.io, project)
    else printLine(context.io, printable(`${project.name} is ${project.rootPath}.`))
    return 0
  },
}
