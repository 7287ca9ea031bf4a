import { Option } from 'commander'
import { HoldfastError } from '../../../kernel/errors.ts'
import { MemoryId } from '../../../kernel/id.ts'
import { MEMORY_SCOPES, PINNED_TAG, type Memory } from '../../../kernel/memory.ts'
import { systemClock } from '../../../platform/base/clock.ts'
import {
  collect,
  findMemoryType,
  isSet,
  listOption,
  memoryTypeOption,
  numberOption,
  textOption,
  wholeNumber,
} from '../../shared/arguments.ts'
import type { CliCommand, CliContext, CommandInput } from '../../shared/command.ts'
import { count, formatAge, getColors, oneLine, printJson, printLine, printable, table } from '../../shared/output.ts'
import { isRunByAgent } from '../../shared/agent-shell.ts'
import { confirm } from '../../setup/setup-ports.ts'

const DEFAULT_LIMIT = 20

/** The type, and the scope and machine unless they are this project and this home. */
export function formatKind({ type, scope, origin }: Memory): string {
  const more = [scope === 'project' ? undefined : scope, origin?.machine.name].filter((part) => part !== undefined)
  return more.length === 0 ? type : `${type} (${more.join(', ')})`
}

function printMemories({ io }: CliContext, memories: readonly Memory[]): void {
  const { dim } = getColors(io)
  const now = systemClock.now()
  io.out(
    table(
      memories.map((memory) => [
        memory.id,
        formatKind(memory),
        memory.tags.includes(PINNED_TAG) ? 'pinned' : '',
        dim(formatAge(memory.createdAt, now)),
        oneLine(memory.content, 80),
      ]),
    ),
  )
}

export const memoriesListCommand: CliCommand = {
  configure(command) {
    command
      .addOption(memoryTypeOption('only this kind'))
      .addOption(
        new Option('--scope <scope>', 'only yours in every project, of this project, or of its team').choices(
          MEMORY_SCOPES,
        ),
      )
      .option('--limit <n>', `at most this many (default: ${DEFAULT_LIMIT})`, wholeNumber(1, 500))
  },
  async run({ options, context }) {
    const type = findMemoryType(options.type)
    const scope = MEMORY_SCOPES.find((one) => one === options.scope)
    const limit = numberOption(options, 'limit') ?? DEFAULT_LIMIT
    const continuity = await context.continuity()
    const memories = await continuity.listMemories({
      cwd: context.cwd,
      limit,
      ...(type !== undefined && { types: [type] }),
      ...(scope !== undefined && { scope }),
    })
    if (isSet(options, 'json')) printJson(context.io, memories)
    else if (memories.length > 0) printMemories(context, memories)
    else printLine(context.io, 'No memories for this project. Add one with `holdfast remember <text>`.')
    return 0
  },
}

export const memoriesShowCommand: CliCommand = {
  configure(command) {
    command.argument('<id>', 'the id, or a unique part of it')
  },
  async run({ args: [id = ''], options, context }) {
    const { io } = context
    const detail = await (await context.continuity()).getMemory(MemoryId(id), context.cwd)
    if (isSet(options, 'json')) {
      printJson(io, detail)
      return 0
    }
    const { memory, checks, history } = detail
    const { dim } = getColors(io)
    printLine(io, `${memory.id}  ${memory.type}  importance ${memory.importance}`)
    printLine(io, dim(`  stored ${memory.createdAt} by ${memory.source}, returned ${count(memory.hits, 'time')}`))
    if (memory.scope === 'me') printLine(io, '  known in every project')
    if (memory.origin !== undefined) printLine(io, `  received from ${printable(memory.origin.machine.name)}`)
    if (memory.tags.length > 0) printLine(io, `  tags: ${printable(memory.tags.join(', '))}`)
    printLine(io)
    printLine(io, printable(memory.content))
    for (const { anchor, state } of checks) printLine(io, `  ${anchor.kind} ${printable(anchor.name)}: ${state}`)
    for (const older of history) printLine(io, dim(`  before ${older.createdAt}: ${oneLine(older.content, 160)}`))
    if (memory.supersededBy !== undefined) printLine(io, `  superseded by ${memory.supersededBy}`)
    return 0
  },
}

export const memoriesEditCommand: CliCommand = {
  configure(command) {
    command
      .argument('<id>', 'the id, or a unique part of it')
      .argument('[text...]', 'the new text')
      .addOption(memoryTypeOption('the new kind'))
      .option('--importance <1-10>', 'the new importance', wholeNumber(1, 10))
      .option('--tag <tag>', 'a tag; together they replace the current ones (repeatable)', collect)
      .option('--pin', 'protect it from --all-matching')
      .option('--unpin', 'undo --pin')
  },
  async run({ args: [id = '', ...words], options, context }) {
    const content = words.join(' ').trim()
    const type = findMemoryType(options.type)
    const importance = numberOption(options, 'importance')
    const tags = listOption(options, 'tag')
    const isPinned = isSet(options, 'pin') ? true : isSet(options, 'unpin') ? false : undefined
    const change = {
      ...(content !== '' && { content }),
      ...(type !== undefined && { type }),
      ...(importance !== undefined && { importance }),
      ...(tags.length > 0 && { tags }),
      ...(isPinned !== undefined && { isPinned }),
    }
    if (Object.keys(change).length === 0)
      throw new HoldfastError('invalid-input', 'Nothing to change was given.', {
        hint: 'Give the new text, or an option such as --pin.',
      })
    const continuity = await context.continuity()
    const isByAgent = await isRunByAgent(context)
    const memory = await continuity.editMemory({
      id: MemoryId(id),
      cwd: context.cwd,
      ...change,
      ...(isByAgent && { isByAgent }),
    })
    if (isSet(options, 'json')) printJson(context.io, memory)
    else
      printLine(
        context.io,
        content === '' ? `Changed ${memory.id}.` : `Stored as ${memory.id}; it replaces ${memory.supersedes}.`,
      )
    return 0
  },
}

export const memoriesForgetCommand: CliCommand = {
  configure(command) {
    command
      .argument('[ids...]', 'ids, or unique parts of them')
      .option(
        '--all-matching <text>',
        'also delete every memory of this project that contains this text, except pinned ones',
      )
      .option('--dry-run', 'only show what would be forgotten')
      .option('--yes', 'do not ask')
      .addHelpText('after', '\nWhat was forgotten can be restored for a week: `holdfast memories restore <id>`.')
  },
  async run({ args, options, context }) {
    const { io, cwd } = context
    const text = textOption(options, 'allMatching')
    const selection = { cwd, ids: args.map(MemoryId), ...(text !== undefined && { text }) }
    const continuity = await context.continuity()
    const isDry = isSet(options, 'dryRun')
    const mustAsk = text !== undefined && !isSet(options, 'yes')
    if (isDry || mustAsk) {
      const memories = await continuity.forgetMemories({ ...selection, isPreview: true })
      if (isSet(options, 'json') && isDry) printJson(io, { wouldForget: memories })
      else printMemories(context, memories)
      if (isDry || memories.length === 0) {
        if (!isSet(options, 'json'))
          printLine(io, `${count(memories.length, 'memory', 'memories')} would be forgotten.`)
        return 0
      }
      if (!(await confirm(context, `Forget ${count(memories.length, 'memory', 'memories')}?`))) return 1
    }
    const forgotten = await continuity.forgetMemories(selection)
    if (isSet(options, 'json')) printJson(io, { forgotten })
    else printLine(io, `Forgot ${count(forgotten.length, 'memory', 'memories')}.`)
    return 0
  },
}

export const memoriesRestoreCommand: CliCommand = {
  configure(command) {
    command.argument('<ids...>', 'ids of memories that were forgotten within a week')
  },
  async run({ args, options, context }) {
    const memories = await (await context.continuity()).restoreMemories({ ids: args.map(MemoryId) })
    if (isSet(options, 'json')) printJson(context.io, { memories })
    else printLine(context.io, `Restored ${count(memories.length, 'memory', 'memories')}.`)
    return 0
  },
}

export const memoriesReviewCommand: CliCommand = {
  configure(command) {
    command
      .option('--all', 'include rejected and forgotten memories')
      .addHelpText(
        'after',
        '\nWith `memory.review` set to inbox, memories that an agent proposes wait here\nfor your decision.',
      )
  },
  async run({ options, context }) {
    const states = isSet(options, 'all') ? undefined : (['proposed'] as const)
    const drafts = await (await context.continuity()).listDrafts({ cwd: context.cwd, ...(states && { states }) })
    if (isSet(options, 'json')) printJson(context.io, drafts)
    else if (drafts.length === 0) printLine(context.io, 'No proposed memory is waiting for your decision.')
    else {
      const now = systemClock.now()
      context.io.out(
        table(
          drafts.map(({ state, at, memory }) => [memory.id, state, formatAge(at, now), oneLine(memory.content, 100)]),
        ),
      )
    }
    return 0
  },
}

async function decide({ args: [id = '', ...words], options, context }: CommandInput, action: 'approve' | 'reject') {
  // The agent that proposed it runs commands too.
  if (await isRunByAgent(context))
    throw new HoldfastError(
      'unsupported',
      'Only a person decides on a proposed memory, and this command was run in a session of an agent.',
      {
        hint: 'Run the command in a terminal of your own, or use the dashboard.',
      },
    )
  const content = words.join(' ').trim()
  const continuity = await context.continuity()
  const draft = await continuity.reviewDraft({ id: MemoryId(id), action, ...(content !== '' && { content }) })
  if (isSet(options, 'json')) printJson(context.io, draft)
  else printLine(context.io, `${action === 'approve' ? 'Approved' : 'Rejected'} ${draft.memory.id}.`)
  return 0 as const
}

export const memoriesApproveCommand: CliCommand = {
  configure(command) {
    command.argument('<id>', 'the id of a proposed memory').argument('[text...]', 'a new text for it')
  },
  run: (input) => decide(input, 'approve'),
}

export const memoriesRejectCommand: CliCommand = {
  configure(command) {
    command.argument('<id>', 'the id of a proposed memory')
  },
  run: (input) => decide(input, 'reject'),
}
