import * as z from 'zod'
import type { ProjectRef } from '../../kernel/agent-records.ts'
import { HoldfastError } from '../../kernel/errors.ts'
import type { Decision } from '../../kernel/event.ts'
import { MAX_KEY_CHARS } from '../../kernel/id.ts'
import type { ToolContext } from './tool.ts'

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

function jsonList(text: string): readonly unknown[] | undefined {
  if (!text.startsWith('[')) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isList(value) ? value : undefined
  } catch {
    // A name that happens to begin with a bracket.
    return undefined
  }
}

/** Agents send lists as JSON in a string, as lines, or as one word; a summary is not lost for that. */
function asList(value: unknown): unknown {
  if (value === null) return undefined
  if (typeof value !== 'string') return value
  const text = value.trim()
  return jsonList(text) ?? text.split(/\r?\n|,\s+/).filter((part) => part.trim() !== '')
}

/** Sentences: a string is split into its lines, and a comma in one means nothing. */
function asLines(value: unknown): unknown {
  if (value === null) return undefined
  if (typeof value !== 'string') return value
  const text = value.trim()
  return jsonList(text) ?? text.split(/\r?\n/).filter((line) => line.trim() !== '')
}

function asRecord(value: unknown): unknown {
  if (value === null) return undefined
  if (typeof value === 'string') {
    try {
      return JSON.parse(value)
    } catch {
      // Refused by the schema, with the value in the message.
      return value
    }
  }
  return value
}

function asNumber(value: unknown): unknown {
  if (value === null) return undefined
  return typeof value === 'string' && /^\s*\d+\s*$/.test(value) ? Number(value) : value
}

const orNothing = (value: unknown) => (value === null || value === '' ? undefined : value)

/** Nobody reads more of one thing than this; what is longer belongs in a file, by its name. */
const MAX_CHARS = 40_000
const MAX_ENTRIES = 1_000
const MAX_ENTRY_CHARS = 4_000

export const text = z.string().trim().min(1).max(MAX_CHARS)
/** What is kept for the next session byte for byte, blanks at its ends included. */
export const verbatim = z
  .string()
  .max(MAX_CHARS)
  .refine((value) => value.trim() !== '', 'Expected more than blanks')
export const optionalText = z.preprocess(orNothing, z.string().max(MAX_CHARS).optional())
export const textList = z.preprocess(asList, z.array(z.string().max(MAX_ENTRY_CHARS)).max(MAX_ENTRIES).optional())
export const lineList = z.preprocess(asLines, z.array(z.string().max(MAX_CHARS)).max(MAX_ENTRIES).optional())
export const textRecord = z.preprocess(
  asRecord,
  z.record(z.string().max(MAX_ENTRY_CHARS), z.coerce.string().max(MAX_ENTRY_CHARS)).optional(),
)
export const count = (most: number) => z.preprocess(asNumber, z.int().min(1).max(most).optional())
export const lineNumber = z.preprocess(asNumber, z.int().min(1).optional())
export const flag = z.preprocess(
  (value) => (value === 'true' ? true : value === 'false' ? false : (value ?? undefined)),
  z.boolean().optional(),
)

const MAX_DECISIONS = 100

const decision = z.union([
  verbatim.transform((words): Decision => ({ decision: words })),
  z.object({ decision: verbatim, rationale: optionalText, alternatives: textList }).transform(
    ({ decision: words, rationale, alternatives }): Decision => ({
      decision: words,
      ...(rationale !== undefined && { rationale }),
      ...(alternatives !== undefined && { alternatives }),
    }),
  ),
])
export const decisionList = z.preprocess(asLines, z.array(decision).max(MAX_DECISIONS).optional())

/** In every tool that is about a project. */
export const project = { project_name: optionalText }
export const session = { session_id: z.preprocess(orNothing, z.string().max(MAX_KEY_CHARS).optional()) }

export function projectRef(input: { readonly project_name?: string | undefined }, { caller }: ToolContext): ProjectRef {
  const { project_name: name } = input
  if (name === undefined && caller.cwd === undefined) throw nowhere()
  return { ...(name !== undefined && { project: name }), ...(caller.cwd !== undefined && { cwd: caller.cwd }) }
}

/** The directory that a call is about. */
export async function directoryOf(
  input: { readonly project_name?: string | undefined },
  context: ToolContext,
): Promise<string> {
  if (input.project_name === undefined && context.caller.cwd !== undefined) return context.caller.cwd
  const { worktree } = await context.door.resolveProject(projectRef(input, context))
  return worktree
}

function nowhere(): HoldfastError {
  return new HoldfastError('invalid-input', 'Nobody said which project this is about.', {
    hint: 'Pass project_name: a registered name, or the absolute path of the project.',
  })
}
