export const SYMBOL_KINDS = ['function', 'method', 'class', 'interface', 'type', 'constant', 'module'] as const
export type SymbolKind = (typeof SYMBOL_KINDS)[number]

export interface Definition {
  readonly name: string
  readonly kind: SymbolKind
  /** From 1. */
  readonly line: number
}

/** Which words a file uses, as digests of them: enough to join with definitions, and no string of the file is kept. */
export interface WordUse {
  readonly digests: Uint32Array
  /** How often each is used, at most 255. */
  readonly counts: Uint8Array
}

/** What one file says: what it defines, and which names it uses (its own included). */
export interface FileFacts {
  readonly definitions: readonly Definition[]
  readonly words: WordUse
}

export const NO_FACTS: FileFacts = {
  definitions: [],
  words: { digests: new Uint32Array(0), counts: new Uint8Array(0) },
}

const KINDS: ReadonlySet<unknown> = new Set(SYMBOL_KINDS)

export function isSymbolKind(value: unknown): value is SymbolKind {
  return KINDS.has(value)
}
