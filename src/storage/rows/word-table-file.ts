import { readFileSync } from 'node:fs'
import { getErrorMessage } from '../../kernel/errors.ts'
import type { Log } from '../../kernel/ports/ports.ts'
import { type Embeddings, NO_EMBEDDINGS } from '../../memory/recall/embeddings.ts'
import { decodeWordTable, tableEmbeddings } from '../../memory/recall/embeddings.ts'

function readTable(file: URL | string, log: Log | undefined): Embeddings {
  try {
    const table = decodeWordTable(readFileSync(file))
    if (table !== undefined) return tableEmbeddings(table)
    log?.warn('The word table is damaged; recall uses full text alone.', { file: String(file) })
  } catch (thrown) {
    log?.warn('The word table cannot be read; recall uses full text alone.', {
      file: String(file),
      error: getErrorMessage(thrown),
    })
  }
  return NO_EMBEDDINGS
}

/** The word table that ships with the product, loaded on the first search: most sessions never search. */
export function fileEmbeddings(file: URL | string, log?: Log): Embeddings {
  let read: Embeddings | undefined
  const table = () => (read ??= readTable(file, log))
  return {
    name: 'words',
    embed: (terms) => table().embed(terms),
    related: (term, limit) => table().related(term, limit),
    compareWith: (asked) => table().compareWith(asked),
  }
}
