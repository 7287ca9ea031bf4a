import * as z from 'zod'
import { HoldfastError } from '../../kernel/errors.ts'
import { HARNESS_EVENT_KINDS } from '../../kernel/event.ts'
import { isObject } from '../../kernel/json-shape.ts'
import { harnessIds } from './known-harnesses.ts'

/** The fields that a descriptor can locate; a dot leads into another field. */
export const DESCRIPTOR_FIELDS: readonly string[] = [
  'session',
  'version',
  'cwd',
  'agent.id',
  'agent.type',
  'id',
  'source',
  'previous',
  'model',
  'prompt',
  'tool.name',
  'tool.input',
  'ok',
  'output',
  'exitStatus',
  'durationMs',
  'message',
  'trigger',
  'summary',
  'tokensBefore',
  'tokensAfter',
  'contextTokens',
  'contextWindowTokens',
  'reason',
]

const NAME = /^[a-z][a-z0-9-]{0,39}$/
/** Characters that a command line can carry unquoted. */
const HOOK = /^[\w-]{1,80}$/
const STEPS = /^[^.\s]+(?:\.[^.\s]+)*$/

const isOneOf = (known: readonly string[]) => (word: string) => known.includes(word)
const joinWords = (words: readonly string[]) => words.join(', ')

/** A path of the user: absolute or below the home folder, without `..`. */
const userPath = (ends: RegExp, kinds: string) =>
  z
    .string()
    .max(1_024)
    .regex(/^(?:~\/|\/|[A-Za-z]:[\\/])/, 'must begin with ~/ or be absolute')
    .refine((path) => !path.split(/[\\/]/).includes('..'), 'must not contain ..')
    .refine((path) => ends.test(path), `must be ${kinds}`)
    .optional()

/** A path in the project. */
const projectPath = (ends: RegExp, kinds: string) =>
  z
    .string()
    .max(1_024)
    .regex(/^(?!~|[\\/]|[A-Za-z]:)/, 'must be relative to the project')
    .refine((path) => !path.split(/[\\/]/).includes('..'), 'must not contain ..')
    .refine((path) => ends.test(path), `must be ${kinds}`)
    .optional()

const JSON_FILE = [/\.jsonc?$/, 'a .json or .jsonc file'] as const
const MCP_FILE = [/\.(?:jsonc?|toml)$/, 'a .json, .jsonc or .toml file'] as const
const PROSE = [/\.(?:md|mdc|txt)$/, 'a .md, .mdc or .txt file'] as const
const FOLDER = [/[^\\/]$/, 'the name of a folder, without a slash at its end'] as const

const event = z
  .string()
  .refine(isOneOf(HARNESS_EVENT_KINDS), { error: `must be one of our events: ${joinWords(HARNESS_EVENT_KINDS)}` })
const steps = z.string().regex(STEPS, 'must be names separated by dots, such as tool.input')

function hasTextPlaceholder(template: unknown): boolean {
  if (typeof template === 'string') return template.includes('$text')
  return Object.values(Array.isArray(template) || isObject(template) ? template : {}).some(hasTextPlaceholder)
}

const template = z.unknown().refine(hasTextPlaceholder, 'must contain "$text": the place for the injected text')
const byEvent = z.record(event, template).optional()

const HarnessDescriptor = z.strictObject({
  name: z
    .string()
    .regex(NAME, 'must be lower-case letters, digits and hyphens, at most 40')
    .refine((name) => !harnessIds.includes(name), 'is the name of a harness that Holdfast has code for'),
  title: z.string().min(1).max(80).optional(),
  hooks: z
    .strictObject({
      file: userPath(...JSON_FILE),
      projectFile: projectPath(...JSON_FILE),
      /** groups: `"Hook": [{ "hooks": [{ "type": "command", "command": … }] }]`. entries: `"Hook": [{ "command": … }]`. */
      style: z.enum(['groups', 'entries']).default('entries'),
      /** Further fields of an entry, such as a timeout. */
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
      z
        .string()
        .refine(isOneOf(DESCRIPTOR_FIELDS), { error: `must be one of our fields: ${joinWords(DESCRIPTOR_FIELDS)}` }),
      z.union([steps, z.array(steps).min(1)]),
    )
    .default({}),
  values: z
    .record(
      z
        .string()
        .refine(isOneOf(DESCRIPTOR_FIELDS), { error: `must be one of our fields: ${joinWords(DESCRIPTOR_FIELDS)}` }),
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
      /** The keys that lead to the list of servers. */
      at: z.array(z.string().min(1)).min(1).max(6).default(['mcpServers']),
      /** args: `command` and `args`. list: one list of words in `command`. */
      form: z.enum(['args', 'list']).default('args'),
      entry: z.record(z.string(), z.unknown()).default({}),
    })
    .optional(),
  instructions: z.strictObject({ file: userPath(...PROSE), projectFile: projectPath(...PROSE) }).optional(),
  skills: z.strictObject({ folder: userPath(...FOLDER), projectFolder: projectPath(...FOLDER) }).optional(),
})

/** The JSON file that connects a harness which Holdfast has no code for; described in docs/generic-harness.md. */
export type HarnessDescriptor = z.infer<typeof HarnessDescriptor>

function describeIssue({ path, message, ...issue }: z.core.$ZodIssue): readonly string[] {
  const where = path.join('.') || 'the descriptor'
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => `${[...path, key].join('.')}: unknown entry.`)
  const inner = issue.code === 'invalid_key' ? issue.issues.map((one) => one.message).join('; ') : message
  return [`${where}: ${inner}.`]
}

/** The descriptor, or everything that is wrong with it, a sentence each. */
export function readDescriptor(value: unknown): {
  readonly descriptor?: HarnessDescriptor
  readonly faults: readonly string[]
} {
  const result = HarnessDescriptor.safeParse(value)
  if (!result.success) return { faults: result.error.issues.flatMap(describeIssue) }
  const descriptor = result.data
  const isEmpty = [descriptor.hooks, descriptor.mcp, descriptor.instructions, descriptor.skills].every(
    (part) => part === undefined,
  )
  return isEmpty
    ? { faults: ['the descriptor: it has no hooks, mcp, instructions or skills.'] }
    : { descriptor, faults: [] }
}

/** Throws with every fault of the descriptor; `from` is the file's name, for the message. */
export function parseDescriptor(value: unknown, from: string): HarnessDescriptor {
  const { descriptor, faults } = readDescriptor(value)
  if (descriptor !== undefined) return descriptor
  throw new HoldfastError(
    'invalid-input',
    `${from} is not a valid harness descriptor:\n${faults.map((one) => `  ${one}`).join('\n')}`,
    {
      hint: 'docs/generic-harness.md describes every entry, with a complete example.',
    },
  )
}
