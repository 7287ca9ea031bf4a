import { isSet } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { colorsOf, oneLine, printableName, printJson, printLine, table } from '../../shared/output.ts'

export const projectsListCommand: CliCommand = {
  name: 'projects list',
  summary: 'projects that were given a name',
  configure() {},
  async run({ options, context }) {
    const projects = await (await context.door()).listProjects()
    if (isSet(options, 'json')) {
      printJson(context.io, projects)
    } else if (projects.length === 0) {
      printLine(context.io, 'No project has a name yet. `holdfast projects register <name>` gives this one one.')
    } else {
      const { dim } = colorsOf(context.io)
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
