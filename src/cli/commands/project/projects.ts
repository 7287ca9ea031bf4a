import { isSet } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { printable, printJson, printLine, getColors, oneLine, printableName, table } from '../../shared/output.ts'
import { resolve } from 'node:path'

export const projectsListCommand: CliCommand = {
  configure() {},
  async run({ options, context }) {
    const projects = await (await context.agentApi()).listProjects()
    if (isSet(options, 'json')) {
      printJson(context.io, projects)
    } else if (projects.length === 0) {
      printLine(context.io, 'No project has a name yet. Name this one with `holdfast projects register <name>`.')
    } else {
      const { dim } = getColors(context.io)
      context.io.out(
        table(
          projects.map((project) => [
            oneLine(project.name, 40),
            printableName(project.rootPath),
            project.isOnDisk ? '' : 'not on disk',
            dim(oneLine(project.keywords.join(', '), 60)),
          ]),
        ),
      )
    }
    return 0
  },
}

export const projectsRegisterCommand: CliCommand = {
  configure(command) {
    command
      .argument('<name>', 'name of the project')
      .argument('[directory]', 'root folder (default: the current folder)')
      .addHelpText('after', '\nExample:\n  holdfast projects register web-shop ~/src/shop')
  },
  async run({ args, options, context }) {
    const [name = '', directory = '.'] = args
    const agentApi = await context.agentApi()
    const project = await agentApi.registerProject({ name, rootPath: resolve(context.cwd, directory) })
    if (isSet(options, 'json')) printJson(context.io, project)
    else printLine(context.io, printable(`Registered ${project.name}: ${project.rootPath}`))
    return 0
  },
}

export const projectsKeywordCommand: CliCommand = {
  configure(command) {
    command.argument('<project>', 'name of the project').argument('<keyword>', 'the keyword')
  },
  async run({ args, options, context }) {
    const [name = '', keyword = ''] = args
    const project = await (await context.agentApi()).addProjectKeyword({ project: name, cwd: context.cwd, keyword })
    if (isSet(options, 'json')) printJson(context.io, project)
    else printLine(context.io, printable(`Keywords of ${project.name}: ${project.keywords.join(', ')}`))
    return 0
  },
}
