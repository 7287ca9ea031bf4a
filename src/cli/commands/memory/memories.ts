import { describeOutdated, type MemoryHit } from '../../../kernel/memory.ts'
import { MemoryId, SessionKey } from '../../../kernel/id.ts'
import type { RememberInput } from '../../../memory/use-cases.ts'
import { isSet, numberOption, wholeNumber, collect, listOption, textOption } from '../../shared/arguments.ts'
import type { CliCommand, CommandInput, ExitCode } from '../../shared/command.ts'
import { printJson, printLine, formatAge, getColors, oneLine, table } from '../../shared/output.ts'
import { readEnvironment } from '../../../harness/descriptor/environment.ts'
import { systemClock } from '../../../platform/base/clock.ts'
import { findMemoryType, memoryTypeOption } from '../../shared/arguments.ts'
import { isRunByAgent } from '../../shared/agent-shell.ts'
import { findSharingObstacle } from '../../shared/team-exchange.ts'
import { formatKind } from './memory-curation.ts'
import { HoldfastError } from '../../../kernel/errors.ts'

/** In an agent's shell, the environment of the harness names the session. */
function findCallingSession(env: CommandInput['context']['env']): RememberInput['session'] {
  const { harness, sessionKey } = readEnvironment(env)
  return harness === undefined || sessionKey === undefined ? undefined : { harness, sessionKey: SessionKey(sessionKey) }
}

export const rememberCommand: CliCommand = {
  configure(command) {
    command
      .argument('<text...>', 'what to remember')
      .addOption(memoryTypeOption('kind of memory (default: note; with --me: preference)'))
      .option('--tag <tag>', 'a search tag (repeatable)', collect)
      .option('--importance <1-10>', 'importance (default: 5)', wholeNumber(1, 10))
      .option('--me', 'for all of your projects, not only this one')
      .option('--team', 'share it with the team of this repository (default: private)')
      .option('--supersedes <id>', 'id of the memory that this one replaces')
      .addHelpText('after', '\nExample:\n  holdfast remember --type decision "PostgreSQL 16, for row-level security"')
  },
  async run({ args, options, context }) {
    const content = args.join(' ')
    if (content.trim() === '')
      throw new HoldfastError('invalid-input', 'The text is empty.', {
        hint: 'Give a sentence that can be understood on its own.',
      })
    if (isSet(options, 'me') && isSet(options, 'team'))
      throw new HoldfastError('invalid-input', 'Give only one of --me and --team.')
    const continuity = await context.continuity()
    const type = findMemoryType(options.type)
    const importance = numberOption(options, 'importance')
    const supersedes = textOption(options, 'supersedes')
    const session = findCallingSession(context.env)
    const memory = await continuity.remember({
      content,
      cwd: context.cwd,
      source: 'cli',
      ...(session !== undefined && { session }),
      ...((await isRunByAgent(context)) && { isByAgent: true }),
      tags: listOption(options, 'tag'),
      ...(type !== undefined && { type }),
      ...(importance !== undefined && { importance }),
      ...(supersedes !== undefined && { supersedes: MemoryId(supersedes) }),
      ...(isSet(options, 'me') && { scope: 'me' as const }),
      ...(isSet(options, 'team') && { scope: 'team' as const }),
    })
    if (isSet(options, 'json')) printJson(context.io, memory)
    else if (memory.isProposed === true)
      printLine(context.io, `Proposed as ${memory.id}; \`holdfast memories review\` decides on it.`)
    else {
      const obstacle = memory.scope === 'team' ? await findSharingObstacle(context) : undefined
      const team = obstacle === undefined ? 'and shared with the team ' : 'for the team '
      const whose = memory.scope === 'me' ? 'for every project ' : memory.scope === 'team' ? team : ''
      const replaced = memory.supersedes === undefined ? '' : `; it replaces ${memory.supersedes}`
      printLine(
        context.io,
        [`Remembered ${whose}as ${memory.id}${replaced}.`, obstacle].filter((text) => text !== undefined).join(' '),
      )
    }
    return 0
  },
}

const DEFAULT_LIMIT = 10

async function recallAll(text: string, { context, options }: CommandInput): Promise<ExitCode> {
  const agentApi = await context.agentApi()
  const session = isSet(options, 'own') ? undefined : findCallingSession(context.env)
  const hits = await agentApi.searchHistory({
    cwd: context.cwd,
    text,
    limit: numberOption(options, 'limit') ?? DEFAULT_LIMIT,
    ...session,
  })
  if (isSet(options, 'json')) {
    printJson(context.io, hits)
  } else if (hits.length === 0) {
    printLine(context.io, `Nothing matches "${text}".`)
  } else {
    const { dim } = getColors(context.io)
    const now = systemClock.now()
    const formatTime = (at: string | undefined) => (at === undefined ? '' : formatAge(at, now))
    context.io.out(table(hits.map(({ kind, id, title, at }) => [kind, id, dim(formatTime(at)), oneLine(title, 90)])))
  }
  return 0
}

export const recallCommand: CliCommand = {
  configure(command) {
    command
      .argument('[words...]', 'words to search for (default: the newest memories)')
      .addOption(memoryTypeOption('only this kind'))
      .option('--all', 'also search checkpoints, decisions and session summaries')
      .option('--own', "with --all, in a session: include the session's own records")
      .option('--limit <n>', `at most this many (default: ${DEFAULT_LIMIT})`, wholeNumber(1, 100))
      .addHelpText('after', '\nExample:\n  holdfast recall retry policy')
  },
  async run({ args, options, context }) {
    const text = args.join(' ').trim()
    if (isSet(options, 'all') && text !== '') return await recallAll(text, { args, options, context })
    const continuity = await context.continuity()
    const limit = numberOption(options, 'limit') ?? DEFAULT_LIMIT
    const type = findMemoryType(options.type)
    const query = { cwd: context.cwd, limit, ...(type !== undefined && { types: [type] }) }
    const hits =
      text === ''
        ? (await continuity.listMemories(query)).map((memory): Pick<MemoryHit, 'memory' | 'outdated'> => ({ memory }))
        : await continuity.recall({ ...query, text })
    if (isSet(options, 'json')) {
      printJson(context.io, hits)
    } else if (hits.length === 0) {
      const kind = type === undefined ? '' : ` of type ${type}`
      printLine(context.io, text === '' ? `No memories${kind} for this project.` : `Nothing${kind} matches "${text}".`)
    } else {
      const { dim } = getColors(context.io)
      const now = systemClock.now()
      context.io.out(
        table(
          hits.map(({ memory, outdated }) => [
            memory.id,
            formatKind(memory),
            dim(formatAge(memory.createdAt, now)),
            oneLine(memory.content, 100) + (outdated === undefined ? '' : dim(` (${describeOutdated(outdated)})`)),
          ]),
        ),
      )
    }
    return 0
  },
}

export const forgetCommand: CliCommand = {
  configure(command) {
    command
      .argument('<id>', 'id as shown by `holdfast recall`')
      .option('--any-project', 'also delete a memory of another project')
  },
  async run({ args: [id = ''], options, context }) {
    const continuity = await context.continuity()
    await continuity.forget(MemoryId(id), isSet(options, 'anyProject') ? undefined : context.cwd)
    if (isSet(options, 'json')) printJson(context.io, { forgotten: id })
    else printLine(context.io, `Forgot ${id}.`)
    return 0
  },
}
