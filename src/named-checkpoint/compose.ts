import type { Checkpoint } from '../kernel/checkpoint.ts'
import { isScratch } from '../kernel/paths/paths.ts'
import { namedPaths } from './format/named-paths.ts'
import type { GitMark, NamedCheckpoint, SectionKey } from './format/named-checkpoint.ts'
import { type Draft, draftFromObserved, draftFromSessionState, draftFromWorkingBuffer } from './sources.ts'

export interface ComposeNamedInput {
  readonly name: string
  readonly createdAt: string
  /** What the caller said; it goes before everything else. */
  readonly task?: string
  readonly given?: Partial<Readonly<Record<SectionKey, string>>>
  readonly sessionState?: string
  readonly workingBuffer?: string
  /** The newest checkpoint of this worktree. */
  readonly observed?: Checkpoint
  readonly git?: GitMark
}

function pick(texts: readonly (string | undefined)[]): string {
  return texts.find((text) => text !== undefined && text.trim() !== '')?.trim() ?? ''
}

/** Said first, then written down, then observed. Progress that names no file is joined by the files that were seen. */
export function composeNamed(input: ComposeNamedInput): Omit<NamedCheckpoint, 'files'> {
  const drafts: readonly Draft[] = [
    draftFromSessionState(input.sessionState),
    draftFromWorkingBuffer(input.workingBuffer),
    draftFromObserved(input.observed),
  ]
  const section = (key: SectionKey) => pick([input.given?.[key], ...drafts.map(({ sections }) => sections[key])])
  const progress = section('progress')
  const seen = drafts.at(-1)?.sections.progress ?? ''
  const isJoined = progress !== '' && seen !== '' && progress !== seen && namedPaths(progress).length === 0
  return {
    name: input.name,
    createdAt: input.createdAt,
    task: pick([input.task, ...drafts.map(({ task }) => task)]),
    sections: {
      progress: isJoined ? `${progress}\n${seen}` : progress,
      nextAction: section('nextAction'),
      blockers: section('blockers'),
      decisions: section('decisions'),
      context: section('context'),
    },
    ...(input.git !== undefined && { git: input.git }),
  }
}

const MAX_FILES = 30

/** Files worth a hash: those that the text names, then those that were edited. */
export function pathsToMark(
  checkpoint: Omit<NamedCheckpoint, 'files'>,
  observed: Checkpoint | undefined,
): readonly string[] {
  const named = namedPaths([checkpoint.task, ...Object.values(checkpoint.sections)].join('\n'))
  const edited = (observed?.work.files ?? [])
    .filter(({ edits, action }) => edits > 0 && action !== 'deleted')
    .map(({ path }) => path)
  return [...new Set([...named, ...edited])].filter((path) => !isScratch(path)).slice(0, MAX_FILES)
}
