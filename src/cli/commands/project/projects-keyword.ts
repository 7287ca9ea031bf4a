import { isSet } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { printable, printJson, printLine } from '../../shared/output.ts'

export const projectsKeywordCommand: CliCommand = {
  name: 'projects keyword',
  summary: 'another word that a project is known by',
  configure(command) {
    command.argument('<project>', 'its name').argument('<keyword>', 'the word')
  },
  async run({ args, options, context }) {
    const [name = '', keyword = ''] = args
    const project = await (await context.door()).addProjectKeyword({ project: name, cwd: context.cwd, keyword })
    if (isSet(options, 'json')) printJson(context.io, project)
    else printLine(context.io, printable(`${project.name} is also known by: ${project.keywords.join(', ')}.`))
    return 0
  },
}
