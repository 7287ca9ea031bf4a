/**
 * What a function's body amounts to. `unsupported` refuses by design or for want of an implementation, `assembled` returns
 * an object of its parameters and constants, `presence` looks only whether a parameter was given.
 */
export const BODY_SHAPES = [
  'normal',
  'empty',
  'constant',
  'echo',
  'assembled',
  'presence',
  'log-only',
  'not-implemented',
  'unsupported',
] as const
export type BodyShape = (typeof BODY_SHAPES)[number]

/**
 * Whether a trivial body is what such a function usually has: `open` is left to subclasses, `variant` does nothing by its
 * name, `override` replaces a method of another type, `plain` has no such excuse.
 */
export type FunctionContext = 'plain' | 'override' | 'variant' | 'open'

export interface FunctionFacts {
  readonly name: string
  /** Its class, trait or receiver. */
  readonly container?: string
  /** 1-based. */
  readonly line: number
  readonly endLine: number
  /** Parameters that it is expected to use: without `self`, `_` and `_unused`. */
  readonly params: number
  /** Most of these parameters, or the first, are not used but for logging. */
  readonly ignored: readonly string[]
  readonly shape: BodyShape
  /** The constant that it returns, or the statement that makes it unfinished. */
  readonly detail: string
  readonly context: FunctionContext
  /** A comment in it calls the body a stub, a placeholder or temporary. */
  readonly isCalledStub: boolean
  /** All that it calls reads, copies or writes text in another alphabet. */
  readonly movesOnly: boolean
  /** Lines of handlers that drop an error without a word. */
  readonly swallows: readonly number[]
  /** Lines of branches that only say that they are not implemented. */
  readonly gaps: readonly number[]
  /** Names that its body uses, calls included. */
  readonly uses: readonly string[]
}

export type TestState = 'real' | 'skipped' | 'trivial' | 'empty'

export interface TestFacts {
  readonly name: string
  readonly line: number
  readonly state: TestState
  readonly detail: string
}

/** A comment that names open work. */
export interface NoteFacts {
  readonly line: number
  readonly text: string
  /** `unfinished`: the code is a stub. `request`: something has to be added. `remark`: anything else. */
  readonly kind: 'unfinished' | 'request' | 'remark'
}

export interface LiteralFacts {
  readonly line: number
  readonly kind: 'local-host' | 'placeholder-value'
  /** The variable, field or parameter that has it. */
  readonly name: string
  readonly text: string
}

/** A test that replaces what it should test. */
export interface MockFacts {
  readonly line: number
  readonly subject: string
}

/** What a source file contains that could contradict the claim that it is finished. */
export interface CodeFacts {
  readonly functions: readonly FunctionFacts[]
  readonly tests: readonly TestFacts[]
  readonly notes: readonly NoteFacts[]
  readonly literals: readonly LiteralFacts[]
  readonly mocks: readonly MockFacts[]
  /** The parser could not make sense of all of it. */
  readonly hasErrors: boolean
}

/** Facts of one file, or why there are none. */
export type Inspection =
  | { readonly path: string; readonly facts: CodeFacts }
  | { readonly path: string; readonly notLookedAt: string }

export interface ProjectSymbol {
  readonly name: string
  readonly file: string
}

/** The project's code, read by syntax tree. */
export interface CodeInspector {
  /** In the order of `paths`. Never throws for what is on disk. */
  inspect(root: string, paths: readonly string[]): Promise<readonly Inspection[]>
  /** Paths of all files of the project, and the names that its source defines. `incomplete`: why names are missing. */
  outline(root: string): Promise<{
    readonly paths: readonly string[]
    readonly symbols: readonly ProjectSymbol[]
    readonly incomplete?: string
  }>
}
