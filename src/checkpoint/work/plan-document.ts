import type { ToolCall } from '../../kernel/event.ts'
import { searches } from '../../kernel/shell/command.ts'
import { baseName } from '../../kernel/paths/paths.ts'

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
