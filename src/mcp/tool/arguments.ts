import * as z from 'zod'
import type { ProjectRef, ResolvedProject } from '../../kernel/agent-records.ts'
import { HoldfastError } from '../../kernel/errors.ts'
import type { Decision } from '../../kernel/event.ts'
import { MAX_KEY_CHARS } from '../../kernel/id.ts'
import { isProjectMeant } from '../../kernel/paths/is-project-meant.ts'
import type { ToolContext } from './tool.ts'

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

function parseJsonList(text: string): readonly unknown[] | undefined {
  if (!text.startsWith('[')) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isList(value) ? value : undefined
  } catch {
    // A name that starts with a bracket.
    return undefined
  }
}

/** Agents send lists as JSON in a string, as lines, or as one word; all are accepted. */
function parseList(value: unknown): unknown {
  if (value === null) return undefined
  if (typeof value !== 'string') return value
  const text = value.trim()
  return parseJsonList(text) ?? text.split(/\r?\n|,\s+/).filter((part) => part.trim() !== '')
}

/** For sentences: a string is split into lines only, not at commas. */
function parseLines(value: unknown): unknown {
  if (value === null) return undefined
  if (typeof value !== 'string') return value
  const text = value.trim()
  return parseJsonList(text) ?? text.split(/\r?\n/).filter((line) => line.trim() !== '')
}

function parseRecord(value: unknown): unknown {
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

function parseNumber(value: unknown): unknown {
  if (value === null) return undefined
  return typeof value === 'string' && /^\s*\d+\s*$/.test(value) ? Number(value) : value
}

export const nullToUndefined = (value: unknown) => value ?? undefined
const emptyToUndefined = (value: unknown) => (value === null || value === '' ? undefined : value)

/** A longer text belongs in a file. */
const MAX_CHARS = 40_000
const MAX_ENTRIES = 1_000
const MAX_ENTRY_CHARS = 4_000

export const text = z.string().trim().min(1).max(MAX_CHARS)
/** Stored for the next session byte for byte, leading and trailing spaces included. */
export const verbatim = z
  .string()
  .max(MAX_CHARS)
  .refine((value) => value.trim() !== '', 'Expected more than spaces')
export const optionalText = z.preprocess(emptyToUndefined, z.string().max(MAX_CHARS).optional())
export const textList = z.preprocess(parseList, z.array(z.string().max(MAX_ENTRY_CHARS)).max(MAX_ENTRIES).optional())
export const lineList = z.preprocess(parseLines, z.array(z.string().max(MAX_CHARS)).max(MAX_ENTRIES).optional())
export const textRecord = z.preprocess(
  parseRecord,
  z.record(z.string().max(MAX_ENTRY_CHARS), z.coerce.string().max(MAX_ENTRY_CHARS)).optional(),
)
export const count = (most: number) => z.preprocess(parseNumber, z.int().min(1).max(most).optional())
export const lineNumber = z.preprocess(parseNumber, z.int().min(1).optional())
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
export const decisionList = z.preprocess(parseLines, z.array(decision).max(MAX_DECISIONS).optional())

/** In every tool that is about a project. */
export const project = { project_name: optionalText }
export const session = { session_id: z.preprocess(emptyToUndefined, z.string().max(MAX_KEY_CHARS).optional()) }

export function toProjectRef(
  input: { readonly project_name?: string | undefined },
  { caller }: ToolContext,
): ProjectRef {
  const { project_name: name } = input
  if (name === undefined && caller.cwd === undefined) throw createNoProjectError()
  return { ...(name !== undefined && { project: name }), ...(caller.cwd !== undefined && { cwd: caller.cwd }) }
}

/** The directory that a call is about. A name that belongs to no project is an error: these tools write. */
export async function resolveDirectory(
  input: { readonly project_name?: string | undefined },
  context: ToolContext,
): Promise<string> {
  if (input.project_name === undefined && context.caller.cwd !== undefined) return context.caller.cwd
  const found = await context.agentApi.resolveProject(toProjectRef(input, context))
  if (isProjectMeant(found, input.project_name)) return found.worktree
  throw new HoldfastError('not-found', `No project is named "${input.project_name?.trim()}". Nothing was done.`, {
    hint: 'list_projects has the known names. Leave project_name out for the current project, or pass an absolute path.',
  })
}

/** The project of an answer that only reads: a name that belongs to no project gets another one's records, with a note. */
export function renderProject(
  found: ResolvedProject,
  { project_name: asked }: { readonly project_name?: string | undefined },
): { readonly project: string; readonly project_note?: string } {
  if (isProjectMeant(found, asked)) return { project: found.name }
  const which = found.matchedBy === 'similar-name' ? 'the most similar name' : 'the current directory'
  return {
    project: found.name,
    project_note: `No project has the name that was asked for: this is the one of ${which}.`,
  }
}

function createNoProjectError(): HoldfastError {
  return new HoldfastError('invalid-input', 'The call does not name a project.', {
    hint: 'Pass project_name: a registered name, or the absolute path of the project.',
  })
}
