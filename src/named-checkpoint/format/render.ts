import { openFence } from './markdown-sections.ts'
import { type GitMark, type NamedCheckpoint, SECTION_KEYS, SECTION_TITLES, type Seal } from './named-checkpoint.ts'
import { sealedText } from './seal.ts'

const HINTS = {
  progress: 'What was completed: files, lines, outputs',
  nextAction: 'The exact next step: file, command, decision',
  blockers: 'Concrete obstacles: errors, conflicts, pending decisions',
  decisions: 'Reasoning that led to the current state, not just facts',
  context: 'Files, paths, preferences, anything needed to continue',
} as const

function stamp(createdAt: string): string {
  return `${createdAt.slice(0, 10)} ${createdAt.slice(11, 16)} UTC`
}

/** Somebody's text inside a section of ours: its headings, open fences and comments must not reach beyond it. */
function asSection(text: string): string {
  const own = text
    .trim()
    .replaceAll('<!--', '&lt;!--')
    .replace(/(?<=^|\r)(?=#{1,2}\s)/gm, '##')
  const fence = openFence(own)
  return fence === undefined ? own : `${own}\n${fence}`
}

function gitLines({ branch, head, dirty }: GitMark): readonly string[] {
  return [
    ...(branch === undefined ? ['- Branch: none'] : [`- Branch: \`${branch}\``]),
    ...(head === undefined ? [] : [`- HEAD: \`${head}\``]),
    ...(dirty === undefined
      ? []
      : [`- Uncommitted: ${dirty.staged} staged, ${dirty.unstaged} unstaged, ${dirty.untracked} untracked`]),
  ]
}

/**
 * S3's Markdown, plus the state of git and of the files, and a seal over all of it. What was said is redacted once more
 * as it stands in the file, where the texts of several fields are the lines of one.
 */
export function renderNamed(
  checkpoint: NamedCheckpoint,
  seal: Seal,
  redact: (text: string) => string = (text) => text,
): string {
  const { name, createdAt, task, sections, git, files } = checkpoint
  const said = [
    `# Checkpoint: ${name}`,
    `**Created:** ${stamp(createdAt)}\n**Task:** ${task.replace(/\s+/g, ' ').trim() || 'Unnamed task'}`,
    ...SECTION_KEYS.map(
      (key) => `## ${SECTION_TITLES[key]}\n\n${asSection(sections[key]) || `<!-- ${HINTS[key]} -->`}`,
    ),
  ]
  const blocks = [
    redact(said.join('\n\n')),
    ...(git === undefined ? [] : [`## Git State\n\n${gitLines(git).join('\n')}`]),
    ...(files.length === 0
      ? []
      : [
          `## File Hashes\n\n${files.map(({ path, hash }) => `- \`${path}\` ${hash === undefined ? 'unread' : `sha256:${hash}`}`).join('\n')}`,
        ]),
  ]
  return sealedText(`${blocks.join('\n\n')}\n`, seal)
}
