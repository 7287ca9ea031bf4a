import { runGit } from '../../platform/git/git.ts'
import { findCheckout, readHead as readGitHead } from '../../platform/git/git-dir.ts'
import { type FindHead, readHead } from './index-files.ts'
import { INDEX_JSON, INDEX_MARKDOWN, markdownHash } from '../project-index.ts'
import { readMarkdown } from './index-files.ts'

export type PairCheckState = 'ok' | 'missing' | 'mismatched' | 'unreadable'

export interface PairCheck {
  readonly state: PairCheckState
  /** Advice for the operator; empty when there is nothing to do. */
  readonly advice: string
  /** When the index was generated. */
  readonly generated?: string
  /** Commits since then; absent when git does not know. */
  readonly commitsSince?: number
  /** The Markdown, if it can be shown. */
  readonly markdown?: string
}

const STALE_COMMITS = 50

const REMEDY = 'The user should run `holdfast index` in the project folder.'
const NO_SUBSTITUTE =
  'Do not regenerate it within a task and do not explore broadly instead: use `git ls-files` and targeted searches.'

async function commitsSince(root: string, head: string | undefined): Promise<number | undefined> {
  if (head === undefined || !/^[0-9a-f]{7,64}$/.test(head)) return undefined
  // The usual case right after an index was made: saves a process.
  const checkout = await findCheckout(root)
  if (checkout !== undefined && (await readGitHead(checkout)).head?.head === head) return 0
  const answer = await runGit(root, ['rev-list', '--count', `${head}..HEAD`])
  const count = answer?.exitStatus === 0 ? Number(answer.stdout.trim()) : Number.NaN
  return Number.isInteger(count) ? count : undefined
}

function advise(problem: string): string {
  return `${problem} ${REMEDY} ${NO_SUBSTITUTE}`
}

/** Whether the two files of the index match, and how old they are. Never throws for what is on disk. */
export async function checkIndexPair(root: string, findHead: FindHead = readHead): Promise<PairCheck> {
  const [markdown, json] = await Promise.all([readMarkdown(root), findHead(root)])
  if (markdown === undefined && json === undefined) {
    return { state: 'missing', advice: advise('This project has no index.') }
  }
  if (markdown === undefined)
    return { state: 'missing', advice: advise(`${INDEX_MARKDOWN} is missing next to ${INDEX_JSON}.`) }
  if (json === undefined) {
    return { state: 'missing', markdown, advice: advise(`${INDEX_JSON} is missing next to ${INDEX_MARKDOWN}.`) }
  }
  if (json.meta === undefined) return { state: 'unreadable', markdown, advice: advise(`${INDEX_JSON} cannot be read.`) }
  const { generated, markdown: hash, head } = json.meta
  const stamp = /Generated:\s*(\S+)/.exec(markdown.slice(0, 500))?.[1]
  if (stamp !== generated) {
    const problem = `The index pair does not match: ${INDEX_MARKDOWN} is from ${stamp ?? 'an unknown time'}, ${INDEX_JSON} from ${generated}.`
    return { state: 'mismatched', markdown, generated, advice: advise(problem) }
  }
  if (hash !== undefined && hash !== markdownHash(markdown)) {
    const problem = `${INDEX_MARKDOWN} was changed after \`holdfast index\` wrote it.`
    return { state: 'mismatched', markdown, generated, advice: advise(problem) }
  }
  const behind = await commitsSince(root, head)
  const isStale = behind !== undefined && behind >= STALE_COMMITS
  return {
    state: 'ok',
    markdown,
    generated,
    ...(behind !== undefined && { commitsSince: behind }),
    advice: isStale ? `The index is ${behind} commits old; running \`holdfast index\` again would help.` : '',
  }
}
