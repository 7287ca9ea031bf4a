export const SYMBOL_KINDS = ['function', 'method', 'class', 'interface', 'type', 'constant', 'module'] as const
export type SymbolKind = (typeof SYMBOL_KINDS)[number]

export interface Definition {
  readonly name: string
  readonly kind: SymbolKind
  /** From 1. */
  readonly line: number
}

/** What one file says: what it defines, and which names it uses how often (its own definitions included). */
export interface FileFacts {
  readonly definitions: readonly Definition[]
  readonly references: readonly (readonly [name: string, count: number])[]
}

export const NO_FACTS: FileFacts = { definitions: [], references: [] }

/** A definition with its place, as the entity registry keeps it. Paths are relative to the root, with `/`. */
export interface CodeSymbol {
  readonly name: string
  readonly type: SymbolKind
  readonly file: string
  readonly line: number
}
