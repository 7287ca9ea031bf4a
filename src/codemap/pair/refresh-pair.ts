import { runGit } from '../../platform/git/git.ts'
import { type BuiltIndex, buildIndex, type IndexRequest } from '../build-index.ts'
import { checkIndexPair } from './check-pair.ts'
import { IndexHeadSchema, parseAs } from './index-file.ts'
import { composeIndex, DEFAULT_MAX_CHARS, INDEX_JSON, INDEX_MARKDOWN } from '../project-index.ts'
import { readIndexJson } from './read-pair.ts'
import { replacePair } from './write-pair.ts'

/** What kept a pair from being made anew by itself. Each of them is for the operator to change. */
export type LeftAlone = 'missing' | 'mismatched' | 'foreign' | 'tracked'

export const LEFT_ALONE_BECAUSE: Readonly<Record<LeftAlone, string>> = {
  missing: 'there is no pair yet',
  mismatched: 'the two files do not belong together',
  foreign: 'another program wrote it',
  tracked: 'git tracks it, and a change that nobody made would be in the way of the next checkout',
}

export type Refreshed =
  | { readonly outcome: 'left-alone'; readonly because: LeftAlone }
  | { readonly outcome: 'unchanged' }
  | { readonly outcome: 'written'; readonly index: BuiltIndex }

async function isTracked(root: string): Promise<boolean> {
  const listed = await runGit(root, ['ls-files', '-z', '--', INDEX_MARKDOWN, INDEX_JSON])
  return listed?.exitStatus === 0 && listed.stdout !== ''
}

/**
 * Makes an index anew that is there already and was ours, when what it would say has changed. Nothing is created, and a
 * pair that somebody else answers for is left alone.
 */
export async function refreshPair(request: Omit<IndexRequest, 'maxChars'>): Promise<Refreshed> {
  const { root } = request
  const leave = (because: LeftAlone): Refreshed => ({ outcome: 'left-alone', because })
  const { state, markdown } = await checkIndexPair(root)
  if (state !== 'ok') return leave(state === 'missing' ? 'missing' : 'mismatched')
  const json = (await readIndexJson(root)) ?? ''
  const head = parseAs(IndexHeadSchema, json)?.meta
  if (head?.tool?.startsWith('holdfast ') !== true) return leave('foreign')
  if (await isTracked(root)) return leave('tracked')
  const index = await buildIndex({ ...request, maxChars: head.maxChars ?? DEFAULT_MAX_CHARS })
  const asBefore = composeIndex(index.body, head.generated)
  if (asBefore.markdown === markdown && asBefore.json === json) return { outcome: 'unchanged' }
  await replacePair(root, index)
  return { outcome: 'written', index }
}
