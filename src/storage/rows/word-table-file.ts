import { readFileSync } from 'node:fs'
import { messageOf } from '../../kernel/errors.ts'
import type { Log } from '../../kernel/ports/ports.ts'
import { type Embeddings, NO_EMBEDDINGS } from '../../memory/recall/embeddings.ts'
import { decodeWordTable, tableEmbeddings } from '../../memory/recall/word-table.ts'

function readTable(file: URL | string, log: Log | undefined): Embeddings {
  try {
    const table = decodeWordTable(readFileSync(file))
    if (table !== undefined) return tableEmbeddings(table)
    log?.warn('The word table is not whole; recall goes on by full text alone.', { file: String(file) })
  } catch (thrown) {
    log?.warn('The word table cannot be read; recall goes on by full text alone.', {
      file: String(file),
      error: messageOf(thrown),
    })
  }
  return NO_EMBEDDINGS
}

/** The table that ships with the product, read at the first question: most sessions ask none. */
export function fileEmbeddings(file: URL | string, log?: Log): Embeddings {
  let read: Embeddings | undefined
  const table = () => (read ??= readTable(file, log))
  return {
    name: 'words',
    embed: (terms) => table().embed(terms),
    related: (term, limit) => table().related(term, limit),
  }
}
