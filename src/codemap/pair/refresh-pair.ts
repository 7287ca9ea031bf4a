import { runGit } from '../../platform/git/git.ts'
import { type BuiltIndex, buildIndex, type IndexRequest } from '../build-index.ts'
import { checkIndexPair } from './check-pair.ts'
import { IndexHeadSchema, parseAs } from './index-files.ts'
import { composeIndex, DEFAULT_MAX_CHARS, INDEX_JSON, INDEX_MARKDOWN } from '../project-index.ts'
import { readIndexJson } from './index-files.ts'
import { replacePair } from './index-files.ts'

/** Why a pair was not refreshed automatically. Only the operator can change that. */
export type LeftAlone = 'missing' | 'mismatched' | 'foreign' | 'tracked'

export const LEFT_ALONE_BECAUSE: Readonly<Record<LeftAlone, string>> = {
  missing: 'no pair exists yet',
  mismatched: 'the two files do not match',
  foreign: 'another program wrote it',
  tracked: 'git tracks it, and an automatic change would block the next checkout',
}

export type RefreshResult =
  | { readonly outcome: 'left-alone'; readonly because: LeftAlone }
  | { readonly outcome: 'unchanged' }
  | { readonly outcome: 'written'; readonly index: BuiltIndex }

async function isTracked(root: string): Promise<boolean> {
  const listed = await runGit(root, ['ls-files', '-z', '--', INDEX_MARKDOWN, INDEX_JSON])
  return listed?.exitStatus === 0 && listed.stdout !== ''
}

/**
 * Refreshes an existing index of ours when its content would change. Creates nothing, and leaves a
 * pair that others maintain.
 */
export async function refreshPair(request: Omit<IndexRequest, 'maxChars'>): Promise<RefreshResult> {
  const { root } = request
  const leave = (because: LeftAlone): RefreshResult => ({ outcome: 'left-alone', because })
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
