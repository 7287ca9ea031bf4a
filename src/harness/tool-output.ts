import type { ToolKind, ToolOutcome } from '../core/event.ts'
import { BOUNDS, bounded } from './bounds.ts'

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

export interface RawOutcome {
  readonly ok: boolean
  readonly text?: string
  readonly exitStatus?: number
  readonly interrupted?: boolean
  readonly durationMs?: number
}

/** Bounded; an exit status at the head of a failure's text becomes a number, and a failed read or edit keeps its reason. */
export function readOutcome(kind: ToolKind, raw: RawOutcome): ToolOutcome {
  const exit = raw.ok ? null : EXIT_LINE.exec(raw.text ?? '')
  const exitStatus = raw.exitStatus ?? (exit === null ? undefined : Number(exit[1]))
  const text = exit === null ? raw.text : raw.text?.slice(exit[0].length)
  const output = bounded(text, raw.ok ? KEPT_CHARS[kind] : Math.max(KEPT_CHARS[kind], BOUNDS.briefOutput))
  return {
    ok: raw.ok,
    ...(exitStatus === undefined ? {} : { exitStatus }),
    ...(output === undefined ? {} : { output }),
    ...(raw.interrupted === true ? { interrupted: true } : {}),
    ...(raw.durationMs === undefined ? {} : { durationMs: raw.durationMs }),
  }
}
