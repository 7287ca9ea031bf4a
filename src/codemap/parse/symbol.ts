export const SYMBOL_KINDS = ['function', 'method', 'class', 'interface', 'type', 'constant', 'module'] as const
export type SymbolKind = (typeof SYMBOL_KINDS)[number]

export interface Definition {
  readonly name: string
  readonly kind: SymbolKind
  /** 1-based. */
  readonly line: number
}

/** The words that a file uses, as hashes: enough to match definitions without storing text of the file. */
export interface WordUse {
  readonly digests: Uint32Array
  /** How often each is used, at most 255. */
  readonly counts: Uint8Array
}

/** What one file defines, and which names it uses (its own included). */
export interface FileSymbols {
  readonly definitions: readonly Definition[]
  readonly words: WordUse
}

export const NO_FACTS: FileSymbols = {
  definitions: [],
  words: { digests: new Uint32Array(0), counts: new Uint8Array(0) },
}

const KINDS: ReadonlySet<unknown> = new Set(SYMBOL_KINDS)

export function isSymbolKind(value: unknown): value is SymbolKind {
  return KINDS.has(value)
}
