import type { ToolKind, ToolOutcome } from '../../kernel/event.ts'
import { countIdentifiers } from '../../kernel/text/identifiers.ts'
import { countPaths, findPaths } from '../../kernel/paths/paths.ts'
import { withoutAnsi, withoutCode } from '../../kernel/text/text.ts'
import { BOUNDS, bounded, scannedPart } from './bounds.ts'
import { withoutValues } from './edit-names.ts'

/** Readers put line numbers before the lines they show: `   12→- [ ] …`, `12: - [ ] …`. */
const LINE_NUMBER = /^\s*\d+(?:→|\t|: ?|\| ?)/
const HEADING = /^#{1,3} \S/
const OPEN_BOX = /^\s*(?:[-*+]|\d{1,3}[.)]) \[ \] \S/

/** A declaration in a form: "I have read the guidelines". */
const DECLARATION = /^\s*\S{1,4} \[ \] (?:I|I'm|I've|I’ve|My|This (?:PR|pull request|change)|By submitting)\b/i

const MIN_OPEN_BOXES = 2
const MAX_DOCUMENT_PATHS = 60

/** The title and file paths of a document that lists work to do: a story, a spec's tasks, an issue with checkboxes. Undefined for any other text. */
export function readTaskDocument(text: string): string | undefined {
  if (!text.includes('[ ]')) return undefined
  const unnumbered = text.split('\n').map((line) => line.replace(LINE_NUMBER, ''))
  const plain = withoutCode(unnumbered.join('\n'))
  const lines = plain.split('\n')
  if (lines.filter((line) => OPEN_BOX.test(line) && !DECLARATION.test(line)).length < MIN_OPEN_BOXES) return undefined
  const title = lines.find((line) => HEADING.test(line))
  const kept = [bounded(title, BOUNDS.line) ?? '#', ...findPaths(plain, MAX_DOCUMENT_PATHS)]
  return bounded(kept.join('\n'), BOUNDS.output)
}

/** How many characters of a tool's output are stored: what a file contains can be read from the file. */
const KEPT_CHARS: Readonly<Record<ToolKind, number>> = {
  shell: BOUNDS.output,
  agent: BOUNDS.output,
  search: BOUNDS.briefOutput,
  web: BOUNDS.briefOutput,
  mcp: BOUNDS.briefOutput,
  other: BOUNDS.briefOutput,
  todo: 0,
  edit: 0,
  read: 0,
}

const EXIT_LINE = /^(?:Error: )?(?:Command failed with )?Exit code:? (\d{1,5})\s*/i

/** Names and paths are extracted from output that is not stored whole. */
const MAX_NAMES = 200
const MAX_PATHS = 40
const TELLING: ReadonlySet<ToolKind> = new Set<ToolKind>(['read', 'search', 'shell', 'agent'])

function countHits(paths: readonly string[], text: string): Pick<ToolOutcome, 'hits'> {
  if (paths.length === 0) return {}
  const hits = countPaths(text)
  const many = paths.flatMap((path): [string, number][] => {
    const count = hits.get(path) ?? 0
    return count > 1 ? [[path, count]] : []
  })
  return many.length === 0 ? {} : { hits: Object.fromEntries(many) }
}

/** A search shows single lines of documents, a subagent only its own words about them. */
const SHOWS_DOCUMENTS: ReadonlySet<ToolKind> = new Set<ToolKind>(['read', 'shell', 'mcp'])

function readPlan(kind: ToolKind, text: string | undefined): Pick<ToolOutcome, 'plan'> {
  const plan = text !== undefined && SHOWS_DOCUMENTS.has(kind) ? readTaskDocument(scannedPart(text)) : undefined
  return plan === undefined ? {} : { plan }
}

function extractNames(kind: ToolKind, text: string | undefined): Pick<ToolOutcome, 'names' | 'paths' | 'hits'> {
  if (text === undefined || !TELLING.has(kind)) return {}
  const scanned = scannedPart(text)
  const names = countIdentifiers(withoutValues(scanned), MAX_NAMES)
  const paths = kind === 'read' ? [] : findPaths(scanned, MAX_PATHS)
  return {
    ...(names.length === 0 ? {} : { names }),
    ...(paths.length === 0 ? {} : { paths }),
    ...(kind === 'search' || kind === 'shell' ? countHits(paths, scanned) : {}),
  }
}

export interface RawOutcome {
  readonly ok: boolean
  readonly text?: string
  readonly exitStatus?: number
  readonly interrupted?: boolean
  readonly durationMs?: number
  readonly refused?: ToolOutcome['refused']
  readonly answers?: ToolOutcome['answers']
  readonly backgroundId?: string
}

/** Bounded and without colours. An exit status at the head of a failure's text becomes a number, and a failed read or edit keeps its reason. */
export function readOutcome(kind: ToolKind, raw: RawOutcome): ToolOutcome {
  const plain = raw.text === undefined ? undefined : withoutAnsi(raw.text)
  if (raw.refused !== undefined) {
    const reason = raw.refused.by === 'harness' ? bounded(plain, BOUNDS.line) : undefined
    return { ok: false, ...(reason === undefined ? {} : { output: reason }), refused: raw.refused }
  }
  const exit = raw.ok ? null : EXIT_LINE.exec(plain ?? '')
  const exitStatus = raw.exitStatus ?? (exit === null ? undefined : Number(exit[1]))
  const text = exit === null ? plain : plain?.slice(exit[0].length)
  const output = bounded(text, raw.ok ? KEPT_CHARS[kind] : Math.max(KEPT_CHARS[kind], BOUNDS.briefOutput))
  return {
    ok: raw.ok,
    ...(exitStatus === undefined ? {} : { exitStatus }),
    ...(output === undefined ? {} : { output }),
    ...extractNames(kind, text),
    ...(raw.ok ? readPlan(kind, text) : {}),
    ...(raw.interrupted === true ? { interrupted: true } : {}),
    ...(raw.answers === undefined || raw.answers.length === 0 ? {} : { answers: raw.answers }),
    ...(raw.backgroundId === undefined ? {} : { backgroundId: raw.backgroundId }),
    ...(raw.durationMs === undefined ? {} : { durationMs: raw.durationMs }),
  }
}
