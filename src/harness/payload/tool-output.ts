import type { ToolKind, ToolOutcome } from '../../kernel/event.ts'
import { namesUsedIn } from '../../kernel/text/identifiers.ts'
import { hitsIn, pathsIn } from '../../kernel/paths/paths.ts'
import { withoutAnsi } from '../../kernel/text/text.ts'
import { BOUNDS, bounded, scannedPart } from './bounds.ts'
import { readTaskDocument } from './task-document.ts'
import { withoutValues } from './without-values.ts'

/** How much of a tool's output is worth keeping: what a command said, yes; what a file holds is in the file. */
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

/** Of an output that is not kept whole, what it was about is. */
const MAX_NAMES = 200
const MAX_PATHS = 40
const TELLING: ReadonlySet<ToolKind> = new Set<ToolKind>(['read', 'search', 'shell', 'agent'])

function hitsOf(paths: readonly string[], text: string): Pick<ToolOutcome, 'hits'> {
  if (paths.length === 0) return {}
  const hits = hitsIn(text)
  const many = paths.flatMap((path): [string, number][] => {
    const count = hits.get(path) ?? 0
    return count > 1 ? [[path, count]] : []
  })
  return many.length === 0 ? {} : { hits: Object.fromEntries(many) }
}

/** A search shows single lines of documents, and a subagent its own words about them. */
const SHOWS_DOCUMENTS: ReadonlySet<ToolKind> = new Set<ToolKind>(['read', 'shell', 'mcp'])

function laidOutBy(kind: ToolKind, text: string | undefined): Pick<ToolOutcome, 'plan'> {
  const plan = text !== undefined && SHOWS_DOCUMENTS.has(kind) ? readTaskDocument(scannedPart(text)) : undefined
  return plan === undefined ? {} : { plan }
}

function shownBy(kind: ToolKind, text: string | undefined): Pick<ToolOutcome, 'names' | 'paths' | 'hits'> {
  if (text === undefined || !TELLING.has(kind)) return {}
  const scanned = scannedPart(text)
  const names = namesUsedIn(withoutValues(scanned), MAX_NAMES)
  const paths = kind === 'read' ? [] : pathsIn(scanned, MAX_PATHS)
  return {
    ...(names.length === 0 ? {} : { names }),
    ...(paths.length === 0 ? {} : { paths }),
    ...(kind === 'search' || kind === 'shell' ? hitsOf(paths, scanned) : {}),
  }
}

export interface RawOutcome {
  readonly ok: boolean
  readonly text?: string
  readonly exitStatus?: number
  readonly interrupted?: boolean
  readonly durationMs?: number
}

/** Bounded and without colours; an exit status at the head of a failure's text becomes a number, and a failed read or edit keeps its reason. */
export function readOutcome(kind: ToolKind, raw: RawOutcome): ToolOutcome {
  const plain = raw.text === undefined ? undefined : withoutAnsi(raw.text)
  const exit = raw.ok ? null : EXIT_LINE.exec(plain ?? '')
  const exitStatus = raw.exitStatus ?? (exit === null ? undefined : Number(exit[1]))
  const text = exit === null ? plain : plain?.slice(exit[0].length)
  const output = bounded(text, raw.ok ? KEPT_CHARS[kind] : Math.max(KEPT_CHARS[kind], BOUNDS.briefOutput))
  return {
    ok: raw.ok,
    ...(exitStatus === undefined ? {} : { exitStatus }),
    ...(output === undefined ? {} : { output }),
    ...shownBy(kind, text),
    ...(raw.ok ? laidOutBy(kind, text) : {}),
    ...(raw.interrupted === true ? { interrupted: true } : {}),
    ...(raw.durationMs === undefined ? {} : { durationMs: raw.durationMs }),
  }
}
