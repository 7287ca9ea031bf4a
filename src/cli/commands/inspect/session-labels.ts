import type { LabelInput } from '../../../capture/use-cases.ts'
import { HoldfastError } from '../../../kernel/errors.ts'
import { SessionKey } from '../../../kernel/id.ts'
import type { Session } from '../../../kernel/session.ts'
import { collect, isSet, listOption, sessionKey, textOption } from '../../shared/arguments.ts'
import type { CliCommand, CommandInput } from '../../shared/command.ts'
import { printJson, printLine, printableName } from '../../shared/output.ts'

/** Title, tags and marks of a session on one line; empty for a session without labels. */
export function formatLabels({ labels }: Pick<Session, 'labels'>): string {
  if (labels === undefined) return ''
  const { title, tags, isPinned, archivedAt } = labels
  return [
    ...(isPinned ? ['pinned'] : []),
    ...(archivedAt === undefined ? [] : ['archived']),
    ...(title === undefined ? [] : [`"${printableName(title)}"`]),
    ...tags.map((tag) => `#${printableName(tag)}`),
  ].join(' ')
}

type LabelChange = Omit<LabelInput, 'sessionKey' | 'harness'>

async function changeLabels({ args: [key = ''], options, context }: CommandInput, change: LabelChange): Promise<0> {
  const harness = textOption(options, 'harness')
  const session = await (await context.continuity()).labelSession({
    sessionKey: SessionKey(key),
    ...(harness !== undefined && { harness }),
    ...change,
  })
  if (isSet(options, 'json')) printJson(context.io, session)
  else printLine(context.io, `${printableName(session.key)}  ${formatLabels(session) || 'no labels'}`)
  return 0
}

function defineLabelCommand(
  configure: CliCommand['configure'],
  toChange: (input: CommandInput) => LabelChange,
): CliCommand {
  return {
    configure(command) {
      command.argument('<session>', 'the session key, or a prefix of it', sessionKey)
      configure(command)
      command.option('--harness <id>', 'the harness, if two of them have a session with this key')
    },
    run: (input) => changeLabels(input, toChange(input)),
  }
}

export const sessionsRenameCommand = defineLabelCommand(
  (command) => command.argument('[title...]', 'the title (default: remove it)'),
  ({ args: [, ...words] }) => ({ title: words.join(' ') }),
)

export const sessionsTagCommand = defineLabelCommand(
  (command) =>
    command.argument('[tags...]', 'tags to add').option('--remove <tag>', 'a tag to remove (repeatable)', collect),
  ({ args: [, ...addTags], options }) => {
    const removeTags = listOption(options, 'remove')
    if (addTags.length + removeTags.length === 0)
      throw new HoldfastError('invalid-input', 'No tag was given.', { hint: 'Give tags, or --remove <tag>.' })
    return { addTags, removeTags }
  },
)

export const sessionsPinCommand = defineLabelCommand(
  (command) => command.option('--undo', 'unpin it'),
  ({ options }) => ({ isPinned: !isSet(options, 'undo') }),
)

export const sessionsArchiveCommand = defineLabelCommand(
  (command) => command.option('--undo', 'list it again'),
  ({ options }) => ({ isArchived: !isSet(options, 'undo') }),
)
