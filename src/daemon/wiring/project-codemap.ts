import { checkIndexPair, type PairCheck } from '../../codemap/pair/check-pair.ts'
import { createIndexReader } from '../../codemap/pair/index-reader.ts'
import type { Codemap, PairState } from '../../agent-api/ports.ts'

function pairOf({ state, markdown }: PairCheck): PairState {
  switch (state) {
    case 'ok':
      return 'matched'
    case 'missing':
      return markdown === undefined ? 'missing' : 'no-json'
    case 'mismatched':
    case 'unreadable':
      return 'mismatched'
  }
}

/** The PROJECT_INDEX pair of each project: read, never written. */
export function createProjectCodemap(): Codemap {
  const { findHead, symbolsOf } = createIndexReader()
  return {
    async indexState(root) {
      const check = await checkIndexPair(root, findHead)
      return {
        text: check.markdown ?? '',
        pair: pairOf(check),
        ...(check.generated !== undefined && { generatedAt: check.generated }),
        ...(check.state !== 'missing' && check.advice !== '' && { detail: check.advice }),
      }
    },
    symbols: symbolsOf,
  }
}
