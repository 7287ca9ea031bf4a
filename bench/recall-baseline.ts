import { DatabaseSync } from '@photostructure/sqlite'

const SMALL_WORDS = new Set(
  (
    'a an the and or of to in on for with is are was were be been do does did has have had what when where who whom which why how ' +
    'it its this that these those i you he she they we my your his her their our me him them as at by from about into over after ' +
    'before would could should can will not no yes if than then so such'
  ).split(' '),
)

export interface PlainBm25 extends Disposable {
  search(question: string, limit: number): readonly string[]
}

/** SQLite's own full-text search with its Porter stemmer and a list of small words: what a product gets for nothing. */
export function openPlainBm25(texts: readonly { readonly id: string; readonly text: string }[]): PlainBm25 {
  const database = new DatabaseSync(':memory:')
  database.exec("create virtual table texts using fts5(id unindexed, text, tokenize = 'porter unicode61')")
  const insert = database.prepare('insert into texts values (?, ?)')
  for (const { id, text } of texts) insert.run(id, text)
  const select = database.prepare('select id from texts where texts match ? order by bm25(texts) limit ?')
  return {
    search(question, limit) {
      const words = [...question.toLowerCase().matchAll(/[a-z0-9_]+/g)]
        .map(([word]) => word)
        .filter((word) => word.length > 1)
      const telling = words.filter((word) => !SMALL_WORDS.has(word))
      const asked = (telling.length > 0 ? telling : words).slice(0, 64)
      if (asked.length === 0) return []
      return select.all(asked.map((word) => `"${word}"`).join(' OR '), limit).map((row) => String(Object(row).id))
    },
    [Symbol.dispose]: () => database.close(),
  }
}
