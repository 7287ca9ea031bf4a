import { Language as Grammar, Parser, Query, type Tree } from 'web-tree-sitter'
import type { CodeFacts } from '../../kernel/code-facts.ts'
import { inspectTree } from '../inspect/inspect-tree.ts'
import { findShape } from '../inspect/language-shape.ts'
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
  /** Undefined when the file takes too long, or for a language that is only indexed. */
  inspect(source: string, language: Language): Promise<CodeFacts | undefined>
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

  /** Undefined when parsing takes too long. */
  function parse(source: string, grammar: Grammar, progressCallback: () => boolean): Tree | undefined {
    parser.setLanguage(grammar)
    const tree = parser.parse(source, null, { progressCallback })
    if (tree !== null) return tree
    parser.reset()
    return undefined
  }

  function startDeadline(): () => boolean {
    const deadline = monotonicMs() + maxMsPerFile
    return () => monotonicMs() > deadline
  }

  function definitionsIn(source: string, { grammar, query }: LoadedGrammar): readonly Definition[] {
    const progressCallback = startDeadline()
    const options = { progressCallback, maxStartDepth: MAX_DEPTH }
    const tree = parse(source, grammar, progressCallback)
    if (tree === undefined) return []
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
    async inspect(source, language) {
      const shape = findShape(language.id)
      const { grammar } = await load(language)
      const tree = shape === undefined ? undefined : parse(source, grammar, startDeadline())
      if (shape === undefined || tree === undefined) return undefined
      try {
        return inspectTree(tree.rootNode, source, shape)
      } finally {
        tree.delete()
      }
    },
  }
}
