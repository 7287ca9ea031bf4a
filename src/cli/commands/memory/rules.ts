import { HoldfastError } from '../../../kernel/errors.ts'
import type { Rule } from '../../../kernel/rule.ts'
import { systemClock } from '../../../platform/base/clock.ts'
import { isRunByAgent } from '../../shared/agent-shell.ts'
import { isSet, textOption } from '../../shared/arguments.ts'
import type { CliCommand, CommandInput } from '../../shared/command.ts'
import { formatAge, getColors, oneLine, printJson, printLine, table } from '../../shared/output.ts'

type Context = CommandInput['context']

const toEntry = ({ id, text, since, state }: Rule) => ({ id, text, since, state })

function printRules({ io }: Context, rules: readonly Rule[]): void {
  const { dim } = getColors(io)
  const now = systemClock.now()
  io.out(table(rules.map(({ id, state, since, text }) => [id, state, dim(formatAge(since, now)), oneLine(text, 100)])))
}

function printRule({ options, context: { io } }: CommandInput, rule: Rule, what: string): 0 {
  if (isSet(options, 'json')) printJson(io, toEntry(rule))
  else printLine(io, `${what} ${rule.id}: ${oneLine(rule.text, 200)}`)
  return 0
}

/** The rules are the user's: an agent can propose one, and neither change, retire nor accept one. */
async function refuseAgent(context: Context, what: string): Promise<void> {
  if (!(await isRunByAgent(context))) return
  throw new HoldfastError(
    'forbidden',
    `Only the user can ${what} a rule, and this command was run in a session of an agent.`,
    {
      hint: 'The user runs it in a terminal of their own.',
    },
  )
}

export const rulesListCommand: CliCommand = {
  configure(command) {
    command.option('--all', 'include retired rules')
  },
  async run({ options, context }) {
    const continuity = await context.continuity()
    const rules = await continuity.listRules({ cwd: context.cwd, includeRetired: isSet(options, 'all') })
    if (isSet(options, 'json')) printJson(context.io, rules.map(toEntry))
    else if (rules.length > 0) printRules(context, rules)
    else printLine(context.io, 'No rules for this project. Add one with `holdfast rules add <text>`.')
    return 0
  },
}

export const rulesAddCommand: CliCommand = {
  configure(command) {
    command
      .argument('[text...]', 'the rule, as one sentence')
      .option('--from <id>', 'put a proposed or retired rule in force')
      .addHelpText('after', '\nExample:\n  holdfast rules add "Never push to main."')
  },
  async run(input) {
    const { args, options, context } = input
    const text = args.join(' ').trim()
    const id = textOption(options, 'from')
    if ((text === '') === (id === undefined))
      throw new HoldfastError('invalid-input', 'Give either the text of a rule or --from <id>.', {
        hint: 'Run `holdfast rules review` to see what was proposed.',
      })
    const continuity = await context.continuity()
    const { cwd } = context
    if (id !== undefined) {
      await refuseAgent(context, 'put in force')
      return printRule(input, await continuity.changeRule({ id, cwd, state: 'active' }), 'In force as')
    }
    const isProposal = await isRunByAgent(context)
    const rule = await continuity.addRule({ text, cwd, ...(isProposal && { isProposal }) })
    return printRule(input, rule, isProposal ? 'Proposed to the user as' : 'In force as')
  },
}

export const rulesEditCommand: CliCommand = {
  configure(command) {
    command.argument('<id>', 'id, or a prefix of it').argument('<text...>', 'the new text')
  },
  async run(input) {
    const [id = '', ...words] = input.args
    await refuseAgent(input.context, 'change')
    const continuity = await input.context.continuity()
    const rule = await continuity.changeRule({ id, cwd: input.context.cwd, text: words.join(' ') })
    return printRule(input, rule, 'Changed')
  },
}

export const rulesRetireCommand: CliCommand = {
  configure(command) {
    command.argument('<id>', 'id, or a prefix of it')
  },
  async run(input) {
    const [id = ''] = input.args
    await refuseAgent(input.context, 'retire')
    const continuity = await input.context.continuity()
    const rule = await continuity.changeRule({ id, cwd: input.context.cwd, state: 'retired' })
    return printRule(input, rule, 'Retired')
  },
}

export const rulesReviewCommand: CliCommand = {
  configure() {},
  async run({ options, context }) {
    const continuity = await context.continuity()
    const rules = await continuity.listRules({ cwd: context.cwd })
    const proposed = rules.filter(({ state }) => state === 'proposed')
    if (isSet(options, 'json')) printJson(context.io, proposed.map(toEntry))
    else if (proposed.length === 0) printLine(context.io, 'No rule is waiting for your decision.')
    else {
      printRules(context, proposed)
      printLine(context.io)
      printLine(context.io, 'Accept with `holdfast rules add --from <id>`, refuse with `holdfast rules retire <id>`.')
    }
    return 0
  },
}
