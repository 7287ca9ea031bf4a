import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { EraseInput } from '../../../find/use-cases.ts'
import type { EraseReport } from '../../../kernel/archive.ts'
import { HoldfastError } from '../../../kernel/errors.ts'
import { SessionKey } from '../../../kernel/id.ts'
import { isSet, sessionKey, textOption } from '../../shared/arguments.ts'
import type { CliCommand, CommandInput } from '../../shared/command.ts'
import { count, printJson, printLine, printableName } from '../../shared/output.ts'
import { confirm } from '../../setup/setup-ports.ts'

/** One and several of each kind. */
const KINDS: Readonly<Record<keyof EraseReport, readonly [string, string?]>> = {
  sessions: ['session'],
  events: ['event'],
  checkpoints: ['checkpoint'],
  memories: ['memory', 'memories'],
  rules: ['rule'],
  archive: ['entry of the search archive', 'entries of the search archive'],
  injections: ['record of injected text', 'records of injected text'],
  intents: ['intent'],
  summaries: ['summary', 'summaries'],
  other: ['other record'],
  backups: ['backup of the store', 'backups of the store'],
}

function describeErased(report: EraseReport): string {
  return Object.entries(KINDS)
    .flatMap(([kind, [one, several]]) => {
      const amount = Object.entries(report).find(([name]) => name === kind)?.[1] ?? 0
      return amount === 0 ? [] : [count(amount, one, several)]
    })
    .join(', ')
}

async function erase({ options, context }: CommandInput, selection: EraseInput): Promise<0 | 1> {
  const { io } = context
  const continuity = await context.continuity()
  const of = selection.cwd === undefined ? '' : ` of the project in ${printableName(selection.cwd)}`
  const print = (report: EraseReport, verb: string) => {
    if (isSet(options, 'json')) return printJson(io, report)
    const parts = describeErased(report)
    printLine(io, parts === '' ? `Nothing${of === '' ? ' of it' : of} is stored.` : `${verb}${of}: ${parts}.`)
  }
  if (isSet(options, 'dryRun') || !isSet(options, 'yes')) {
    const preview = await continuity.erase({ ...selection, isPreview: true })
    if (isSet(options, 'dryRun') || !isSet(options, 'json')) print(preview, 'To erase')
    if (isSet(options, 'dryRun')) return 0
    if (!(await confirm(context, 'Erase this for good?'))) return 1
  }
  print(await continuity.erase(selection), 'Erased')
  return 0
}

/** Whether a folder that is missing would be taken for a part of a repository or of the folder here. */
function isInsideAnother(folder: string, cwd: string): boolean {
  if (folder.startsWith(`${resolve(cwd)}/`)) return true
  for (let above = dirname(folder); above !== dirname(above); above = dirname(above))
    if (existsSync(join(above, '.git'))) return true
  return false
}

/** A name, or a misspelt path inside a project, would mean that project, and erase it. */
function projectFolder(cwd: string, path: string): string {
  if (path.trim() === '')
    throw new HoldfastError('invalid-input', 'The folder of the project is empty.', {
      hint: 'Give a folder of the project; without one, it is the project here.',
    })
  const folder = resolve(cwd, path)
  if (!existsSync(folder) && isInsideAnother(folder, cwd))
    throw new HoldfastError('not-found', `No folder ${folder} exists.`, {
      hint: 'Give a folder of the project; without one, it is the project here.',
    })
  return folder
}

function addOptions(command: Parameters<CliCommand['configure']>[0]): void {
  command.option('--dry-run', 'only show what would be erased').option('--yes', 'do not ask')
}

export const eraseCommand: CliCommand = {
  configure(command) {
    command
      .option('--session <key>', 'all data of this session, given by its key or a prefix of it', sessionKey)
      .option('--project [path]', 'all data of a project (default: this one)')
      .option('--person', 'all of your data, in every project')
      .option('--harness <id>', 'the harness, if two of them have a session with this key')
    addOptions(command)
    command.addHelpText(
      'after',
      "\nBackups of the store are deleted too. A signed tombstone stays: other homes that\nimport your next export erase the same, and an older export does not restore it.\nTranscripts of the harness, and files in the project's folder, are not touched.",
    )
  },
  run(input) {
    const { options, context } = input
    const key = textOption(options, 'session')
    const { project } = options
    const harness = textOption(options, 'harness')
    if (isSet(options, 'person')) {
      if (key !== undefined || project !== undefined)
        throw new HoldfastError('invalid-input', 'Give only one of --session, --project and --person.')
      return erase(input, { isPerson: true })
    }
    if (key !== undefined) return erase(input, { session: SessionKey(key), ...(harness !== undefined && { harness }) })
    if (project !== undefined)
      return erase(input, {
        cwd: typeof project === 'string' ? projectFolder(context.cwd, project) : context.cwd,
      })
    throw new HoldfastError('invalid-input', 'None of --session, --project and --person was given.')
  },
}

export const sessionsDeleteCommand: CliCommand = {
  configure(command) {
    command.argument('<session>', 'the session key, or a prefix of it', sessionKey)
    addOptions(command)
  },
  run: (input) => erase(input, { session: SessionKey(input.args[0] ?? '') }),
}

export const projectsDeleteCommand: CliCommand = {
  configure(command) {
    command.argument('[path]', 'a folder of the project (default: this one)')
    addOptions(command)
  },
  run: (input) => erase(input, { cwd: projectFolder(input.context.cwd, input.args[0] ?? '.') }),
}
