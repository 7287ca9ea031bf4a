import { z } from 'zod'
import { HoldfastError } from '../../kernel/errors.ts'
import { isObject } from '../../kernel/json-shape.ts'
import { GENERIC_EVENTS } from './generic-events.ts'
import { PAGE_FIELDS } from './descriptor-fields.ts'

const KNOWN = ['claude-code', 'codex', 'gemini-cli', 'opencode', 'openclaw', 'cursor', 'windsurf', 'roo', 'generic']
const NAME = /^[a-z][a-z0-9-]{0,39}$/
/** What a command line can carry as it is. */
const HOOK = /^[\w-]{1,80}$/
const STEPS = /^[^.\s]+(?:\.[^.\s]+)*$/

const isOneOf = (known: readonly string[]) => (word: string) => known.includes(word)
const quoted = (words: readonly string[]) => words.join(', ')

/** A path of the user: from the home folder, or absolute; never out of where it says. */
const userPath = (ends: RegExp, kinds: string) =>
  z
    .string()
    .max(1_024)
    .regex(/^(?:~\/|\/|[A-Za-z]:[\\/])/, 'must begin with ~/ or be absolute')
    .refine((path) => !path.split(/[\\/]/).includes('..'), 'must not lead upwards with ..')
    .refine((path) => ends.test(path), `must be ${kinds}`)
    .optional()

/** A path in the project. */
const projectPath = (ends: RegExp, kinds: string) =>
  z
    .string()
    .max(1_024)
    .regex(/^(?!~|[\\/]|[A-Za-z]:)/, 'must be relative to the project')
    .refine((path) => !path.split(/[\\/]/).includes('..'), 'must not lead upwards with ..')
    .refine((path) => ends.test(path), `must be ${kinds}`)
    .optional()

const JSON_FILE = [/\.jsonc?$/, 'a .json or .jsonc file'] as const
const MCP_FILE = [/\.(?:jsonc?|toml)$/, 'a .json, .jsonc or .toml file'] as const
const PROSE = [/\.(?:md|mdc|txt)$/, 'a .md, .mdc or .txt file'] as const
const FOLDER = [/[^\\/]$/, 'the name of a folder, without a slash at its end'] as const

const event = z
  .string()
  .refine(isOneOf(GENERIC_EVENTS), { error: `must be one of our events: ${quoted(GENERIC_EVENTS)}` })
const steps = z.string().regex(STEPS, 'must be names with dots between them, such as tool.input')

function holdsText(template: unknown): boolean {
  if (typeof template === 'string') return template.includes('$text')
  return Object.values(Array.isArray(template) || isObject(template) ? template : {}).some(holdsText)
}

const template = z.unknown().refine(holdsText, 'must hold "$text" somewhere: that is where our words go')
const byEvent = z.record(event, template).optional()

const Page = z.strictObject({
  name: z
    .string()
    .regex(NAME, 'must be small letters, digits and hyphens, at most 40')
    .refine((name) => !KNOWN.includes(name), 'is the name of a harness that Holdfast has code for'),
  title: z.string().min(1).max(80).optional(),
  hooks: z
    .strictObject({
      file: userPath(...JSON_FILE),
      projectFile: projectPath(...JSON_FILE),
      /** groups: `"Hook": [{ "hooks": [{ "type": "command", "command": … }] }]`. entries: `"Hook": [{ "command": … }]`. */
      style: z.enum(['groups', 'entries']).default('entries'),
      /** What stands in an entry beside its command, such as a timeout. */
      entry: z.record(z.string(), z.unknown()).default({}),
      events: z
        .record(
          z.string().regex(HOOK, 'must be letters, digits, _ and -'),
          z.union([event, z.strictObject({ event, with: z.record(z.string(), z.unknown()).default({}) })]),
        )
        .refine((events) => Object.keys(events).length > 0, 'must name at least one hook'),
    })
    .optional(),
  fields: z
    .record(
      z.string().refine(isOneOf(PAGE_FIELDS), { error: `must be one of our fields: ${quoted(PAGE_FIELDS)}` }),
      z.union([steps, z.array(steps).min(1)]),
    )
    .default({}),
  values: z
    .record(
      z.string().refine(isOneOf(PAGE_FIELDS), { error: `must be one of our fields: ${quoted(PAGE_FIELDS)}` }),
      z.record(z.string(), z.union([z.string(), z.boolean(), z.number()])),
    )
    .default({}),
  answers: byEvent,
  refusals: byEvent,
  stops: byEvent,
  mcp: z
    .strictObject({
      file: userPath(...MCP_FILE),
      projectFile: projectPath(...MCP_FILE),
      /** The names that lead to the list of servers. */
      at: z.array(z.string().min(1)).min(1).max(6).default(['mcpServers']),
      /** args: `command` and `args`. list: one list of words in `command`. */
      form: z.enum(['args', 'list']).default('args'),
      entry: z.record(z.string(), z.unknown()).default({}),
    })
    .optional(),
  instructions: z.strictObject({ file: userPath(...PROSE), projectFile: projectPath(...PROSE) }).optional(),
  skills: z.strictObject({ folder: userPath(...FOLDER), projectFolder: projectPath(...FOLDER) }).optional(),
})

/** The page of JSON by which somebody connects a harness that we have no code for; docs/generic-harness.md has it in words. */
export type Page = z.infer<typeof Page>

function sentenceOf({ path, message, ...issue }: z.core.$ZodIssue): readonly string[] {
  const where = path.join('.') || 'the page'
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => `${[...path, key].join('.')}: there is no such entry.`)
  const inner = issue.code === 'invalid_key' ? issue.issues.map((one) => one.message).join('; ') : message
  return [`${where}: ${inner}.`]
}

/** Everything that is wrong with a page, a sentence each; the page itself where nothing is. */
export function readPage(value: unknown): { readonly page?: Page; readonly faults: readonly string[] } {
  const result = Page.safeParse(value)
  if (!result.success) return { faults: result.error.issues.flatMap(sentenceOf) }
  const page = result.data
  const isEmpty = [page.hooks, page.mcp, page.instructions, page.skills].every((part) => part === undefined)
  return isEmpty ? { faults: ['the page: it names no hooks, mcp, instructions or skills.'] } : { page, faults: [] }
}

/** Refuses a page with every fault in it; `from` is the file's name, for the message. */
export function parsePage(value: unknown, from: string): Page {
  const { page, faults } = readPage(value)
  if (page !== undefined) return page
  throw new HoldfastError(
    'invalid-input',
    `${from} is no page for a harness:\n${faults.map((one) => `  ${one}`).join('\n')}`,
    {
      hint: 'docs/generic-harness.md has every entry, and a whole page to begin with.',
    },
  )
}
