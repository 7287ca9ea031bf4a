import type { Checkpoint } from '../kernel/checkpoint.ts'
import { markdownSections } from './format/markdown-sections.ts'
import { SECTION_KEYS, type SectionKey } from './format/named-checkpoint.ts'
import { parseNamed } from './format/parse.ts'

/** What one source has to say for each field; empty where it says nothing. */
export interface Draft {
  readonly task: string
  readonly sections: Readonly<Record<SectionKey, string>>
}

const MAX_SECTION_CHARS = 4_000
const MAX_TASK_CHARS = 200

function clip(text: string, max: number): string {
  const letters = Array.from(text.trim())
  return letters.length <= max ? letters.join('') : `${letters.slice(0, max - 1).join('')}…`
}

function firstLine(text: string): string {
  const line = text.split('\n').find((candidate) => candidate.trim() !== '') ?? ''
  return clip(line.replace(/^[\s>*#-]+/, '').replaceAll('**', ''), MAX_TASK_CHARS)
}

const EMPTY: Draft = { task: '', sections: { progress: '', nextAction: '', blockers: '', decisions: '', context: '' } }

/** `SESSION-STATE.md` has no fixed shape: known headings are taken as such, and a text without any is context. */
export function draftFromSessionState(text: string | undefined): Draft {
  if (text === undefined || text.trim() === '') return EMPTY
  const read = parseNamed(text)
  const headed = markdownSections(text)
  const current = headed.find(({ title }) => /^(?:current |active )?(?:task|goal)\b/i.test(title))?.body ?? ''
  const isStructured = SECTION_KEYS.some((key) => read.sections[key] !== '') || current !== ''
  const sections = isStructured ? read.sections : { ...read.sections, context: text }
  return {
    task: clip(read.task, MAX_TASK_CHARS) || firstLine(current),
    sections: {
      progress: clip(sections.progress, MAX_SECTION_CHARS),
      nextAction: clip(sections.nextAction, MAX_SECTION_CHARS),
      blockers: clip(sections.blockers, MAX_SECTION_CHARS),
      decisions: clip(sections.decisions, MAX_SECTION_CHARS),
      context: clip(sections.context, MAX_SECTION_CHARS),
    },
  }
}

/** The last exchanges of the danger-zone log: the agent's own summaries are progress, the person's last words context. */
export function draftFromWorkingBuffer(text: string | undefined): Draft {
  if (text === undefined || text.trim() === '') return EMPTY
  const entries = markdownSections(text).filter(({ title }) => title.startsWith('['))
  const agent = entries.filter(({ title }) => /\bAgent\b/i.test(title)).slice(-5)
  const human = entries.findLast(({ title }) => /\bHuman\b/i.test(title))
  return {
    task: '',
    sections: {
      ...EMPTY.sections,
      progress: clip(agent.map(({ body }) => `- ${body.replace(/\s+/g, ' ')}`).join('\n'), MAX_SECTION_CHARS),
      context: human === undefined ? '' : clip(`- The user last said: ${human.body.replace(/\s+/g, ' ')}`, 600),
    },
  }
}

function bullets(lines: readonly string[], max: number): string {
  return lines
    .slice(0, max)
    .map((line) => `- ${clip(line.replace(/\s+/g, ' '), 300)}`)
    .join('\n')
}

/** What was seen of the work; never a reading of what the agent said. */
export function draftFromObserved(checkpoint: Checkpoint | undefined): Draft {
  if (checkpoint === undefined) return EMPTY
  const { work } = checkpoint
  const edited = work.files.filter(({ edits, action }) => edits > 0 || action === 'created' || action === 'deleted')
  const newestFirst = edited.toSorted((a, b) => b.lastOrder - a.lastOrder)
  const ran = work.commands.filter(({ purpose }) => purpose !== 'other' && purpose !== 'vcs').slice(-5)
  return {
    task: clip(checkpoint.summary, MAX_TASK_CHARS),
    sections: {
      progress: bullets(
        [
          ...newestFirst.slice(0, 12).map(({ path, action }) => `${action} \`${path}\``),
          ...ran.map(
            ({ command, ok, exitStatus }) =>
              `\`${command}\` ${ok ? 'passed' : `failed${exitStatus === undefined ? '' : ` with ${exitStatus}`}`}`,
          ),
        ],
        17,
      ),
      nextAction: checkpoint.nextAction ?? '',
      blockers: bullets(
        [
          ...work.blockers,
          ...work.tests
            .filter(({ status }) => status === 'failing')
            .map(({ name, command }) => `failing: ${name} (\`${command}\`)`),
          ...work.errors
            .filter(({ resolution }) => resolution === undefined)
            .slice(-3)
            .map(({ text }) => `error: "${text}"`),
        ],
        10,
      ),
      decisions: bullets(
        work.decisions.map(({ decision, rationale }) =>
          rationale === undefined ? decision : `${decision}, because ${rationale}`,
        ),
        10,
      ),
      context: bullets(
        newestFirst.length > 0
          ? []
          : work.files
              .toSorted((a, b) => b.lastOrder - a.lastOrder)
              .slice(0, 8)
              .map(({ path }) => `read \`${path}\``),
        8,
      ),
    },
  }
}
