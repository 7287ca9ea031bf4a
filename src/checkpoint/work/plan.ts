import type { ToolCall } from '../../kernel/event.ts'
import { type Here, withMentions } from './fold-paths.ts'
import { pathsIn, relativePath, baseName } from '../../kernel/paths/paths.ts'
import { LIMITS, type Plan, type WorkState } from './state.ts'
import { clip, cutUnits, withoutCode } from '../../kernel/text/text.ts'
import { searches } from '../../kernel/shell/command.ts'

/** What every project has, or every agent is told: boxes in it are a form's or a wish list's. */
const STANDING =
  /^(?:readme|contributing|changelog|changes|history|releas(?:e|es|ing)|code_of_conduct|security|support|licen[cs]e|claude|agents|gemini|skill|conventions)(?:[._-]|$)/i
/** Forms to fill in, and what agents are made of. */
const FORM_FOLDER =
  /(?:^|\/)(?:\.github|\.gitlab|node_modules|vendor|templates?|checklists?|skills|rules|commands|agents)\//i
const WRITING = /(?:\.(?:md|mdx|markdown|txt|text|rst|org|adoc)|^[^.]+)$/i

function layOutWork(path: string): boolean {
  const slashed = path.replaceAll('\\', '/')
  const name = baseName(slashed)
  return WRITING.test(name) && !STANDING.test(name) && !/template/i.test(name) && !FORM_FOLDER.test(slashed)
}

/** The file in which a tool was shown work laid out; none known for an issue or a page; undefined where it is no plan of this session. */
export function planDocument({ files, command }: ToolCall): { readonly file?: string } | undefined {
  // What looks through files or their history shows lines of many.
  if (command !== undefined && (searches(command) || /^\s*git\b/.test(command))) return undefined
  if (files.length === 0) return {}
  const file = files.map(({ path }) => path).find(layOutWork)
  return file === undefined ? undefined : { file }
}

/** A text this long is a plan to be carried out, not a remark: what it names stays in play until the next one that names files. */
const PLAN_CHARS = 600

const MAX_TITLE_CHARS = 120
/** With where it stands. */
const MAX_PLACE_CHARS = 200
const TITLE = /^#{1,3}[ \t]+(\S[^\n]*)$/m
const SAYS_PLAN = /^(?:implementation )?plan[ \t]*[:–—-][ \t]*(?=\S)/i
/** A heading may be closed as it was opened. */
const CLOSING = /[ \t#]+$/

function pathsNamed(text: string, here: Here): readonly string[] {
  const named = pathsIn(withoutCode(text), LIMITS.plannedPaths)
  return named.flatMap((path) => relativePath(path.replace(/^@/, ''), here) ?? [])
}

function titleOf(text: string): string | undefined {
  const [, heading = ''] = TITLE.exec(withoutCode(text)) ?? []
  const title = cutUnits(heading, 2 * MAX_TITLE_CHARS)
    .replace(SAYS_PLAN, '')
    .replace(CLOSING, '')
  return title === '' ? undefined : clip(title, MAX_TITLE_CHARS)
}

/** The state with what a text lays out as the work to do. A short one adds to the plan there is. */
export function withPlan(state: WorkState, text: string, here: Here): WorkState {
  const named = pathsNamed(text, here)
  if (named.length === 0) return state
  const before = text.length < PLAN_CHARS ? state.plan : undefined
  const paths = [...new Set([...(before?.paths ?? []), ...named])].slice(0, LIMITS.plannedPaths)
  return { ...state, plan: { ...(before?.title === undefined ? {} : { title: before.title }), paths } }
}

/** With where it can be read; a plan that is put forward again by its title alone still stands there. */
function placed(title: string | undefined, file: string | undefined, state: WorkState): string | undefined {
  const before = state.plan?.title?.text
  if (file === undefined) return title !== undefined && before?.startsWith(`${title} (`) === true ? before : title
  return clip(title === undefined ? file : `${title} (${file})`, MAX_PLACE_CHARS)
}

/** What is told of a plan that was laid out by a tool. */
interface LaidOut {
  readonly tool: ToolCall
  readonly text: string
}

/** A plan that the agent wrote is as good as asked for: its user saw it. */
export function withWrittenPlan(state: WorkState, { tool, text }: LaidOut, here: Here): WorkState {
  const planned = withPlan(state, text, here)
  const heading = titleOf(text)
  const file = tool.files[0] === undefined ? undefined : relativePath(tool.files[0].path, here)
  const title = heading === undefined ? undefined : placed(heading, file, state)
  const { isDocument: _, ...before } = planned.plan ?? { paths: [] }
  const plan = title === undefined ? planned.plan : { ...before, title: { text: title, lastOrder: state.order } }
  return withMentions({ ...planned, plan }, withoutCode(text), { here, by: 'asked' })
}

/** A document with boxes to tick says what to do where nobody else has. */
export function withDocument(state: WorkState, { tool, text }: LaidOut, here: Here): WorkState {
  const document = planDocument(tool)
  if (document === undefined || (state.plan !== undefined && state.plan.isDocument !== true)) return state
  const file = document.file === undefined ? undefined : relativePath(document.file, here)
  const title = placed(titleOf(text), file, state)
  const plan: Plan = {
    ...(title === undefined ? {} : { title: { text: title, lastOrder: state.order } }),
    paths: pathsNamed(text, here),
    isDocument: true,
  }
  return withMentions({ ...state, plan }, withoutCode(text), { here, by: 'asked' })
}

export function isPlan(prompt: string): boolean {
  return prompt.length >= PLAN_CHARS
}
