import { Language as Grammar, Parser, Query } from 'web-tree-sitter'
import type { Language } from './languages.ts'
import { type Definition, type FileSymbols, isSymbolKind, NO_FACTS } from './symbol.ts'
import { countWords } from './words.ts'

export interface ExtractorOptions {
  /** The path of a built file: a grammar, or `web-tree-sitter.wasm` itself. */
  readonly builtFile: (name: string) => string
  /** Monotonic. */
  readonly monotonicMs: () => number
  /** A file that takes longer has no definitions. */
  readonly maxMsPerFile?: number
}

export interface Extractor {
  /** Never throws, whatever the file holds. */
  extract(source: string, language: Language): Promise<FileSymbols>
}

const MAX_MS_PER_FILE = 2_000
const MAX_DEFINITIONS = 2_000
const MAX_NAME_CHARS = 80
/** Enough for a class in a namespace in a conditional. Deeper nodes, most of a tree, are local to a body. */
const MAX_DEPTH = 9

interface LoadedGrammar {
  readonly grammar: Grammar
  readonly query: Query
}

export async function createExtractor({
  builtFile,
  monotonicMs,
  maxMsPerFile = MAX_MS_PER_FILE,
}: ExtractorOptions): Promise<Extractor> {
  await Parser.init({ locateFile: (name: string) => builtFile(name) })
  const parser = new Parser()
  const loaded = new Map<string, Promise<LoadedGrammar>>()

  function load({ grammar: file, query }: Language): Promise<LoadedGrammar> {
    const known = loaded.get(file)
    if (known !== undefined) return known
    const loading = Grammar.load(builtFile(file)).then((grammar) => ({ grammar, query: new Query(grammar, query) }))
    loaded.set(file, loading)
    return loading
  }

  function definitionsIn(source: string, { grammar, query }: LoadedGrammar): readonly Definition[] {
    const deadline = monotonicMs() + maxMsPerFile
    const progressCallback = () => monotonicMs() > deadline
    const options = { progressCallback, maxStartDepth: MAX_DEPTH }
    parser.setLanguage(grammar)
    const tree = parser.parse(source, null, { progressCallback })
    if (tree === null) {
      parser.reset()
      return []
    }
    try {
      const found = new Map<number, Definition & { readonly pattern: number }>()
      for (const { name: capture, node, patternIndex } of query.captures(tree.rootNode, options)) {
        if (!isSymbolKind(capture)) continue
        const { startIndex } = node
        const earlier = found.get(startIndex)
        if (earlier !== undefined && earlier.pattern <= patternIndex) continue
        const name = source.slice(startIndex, node.endIndex)
        if (name.length > MAX_NAME_CHARS || /\s/.test(name)) continue
        found.set(startIndex, { name, kind: capture, line: node.startPosition.row + 1, pattern: patternIndex })
        if (found.size >= MAX_DEFINITIONS) break
      }
      return [...found.values()]
        .map(({ name, kind, line }) => ({ name, kind, line }))
        .toSorted((a, b) => a.line - b.line)
    } finally {
      tree.delete()
    }
  }

  return {
    async extract(source, language) {
      if (source === '') return NO_FACTS
      return { definitions: definitionsIn(source, await load(language)), words: countWords(source) }
    },
  }
}
