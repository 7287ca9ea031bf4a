import { QUERIES } from './queries.ts'

/** How a language is read: its grammar's file among the built grammars, and the query that finds its definitions. */
export interface Language {
  readonly id: string
  readonly grammar: string
  readonly query: string
}

const language = (id: string, grammar: string, query: string): Language => ({
  id,
  grammar: `tree-sitter-${grammar}.wasm`,
  query,
})

const TYPESCRIPT = language('typescript', 'typescript', QUERIES.typescript)
const TSX = language('tsx', 'tsx', QUERIES.typescript)
const JAVASCRIPT = language('javascript', 'javascript', QUERIES.javascript)
const PYTHON = language('python', 'python', QUERIES.python)
const GO = language('go', 'go', QUERIES.go)
const RUST = language('rust', 'rust', QUERIES.rust)
const JAVA = language('java', 'java', QUERIES.java)
const C = language('c', 'c', QUERIES.c)
const CPP = language('cpp', 'cpp', QUERIES.cpp)
const C_SHARP = language('c-sharp', 'c_sharp', QUERIES.cSharp)
const RUBY = language('ruby', 'ruby', QUERIES.ruby)
const PHP = language('php', 'php', QUERIES.php)

// A `.h` may be either; the C++ grammar reads both.
const BY_EXTENSION: Readonly<Record<string, Language>> = {
  ts: TYPESCRIPT,
  mts: TYPESCRIPT,
  cts: TYPESCRIPT,
  tsx: TSX,
  js: JAVASCRIPT,
  mjs: JAVASCRIPT,
  cjs: JAVASCRIPT,
  jsx: JAVASCRIPT,
  py: PYTHON,
  pyi: PYTHON,
  go: GO,
  rs: RUST,
  java: JAVA,
  c: C,
  h: CPP,
  cc: CPP,
  cpp: CPP,
  cxx: CPP,
  hh: CPP,
  hpp: CPP,
  hxx: CPP,
  cs: C_SHARP,
  rb: RUBY,
  rake: RUBY,
  php: PHP,
}

/** For git: every file that some grammar reads. */
export const SOURCE_PATHSPECS: readonly string[] = Object.keys(BY_EXTENSION).map((extension) => `*.${extension}`)

/** Undefined for a file that no grammar reads. */
export function languageOf(path: string): Language | undefined {
  const dot = path.lastIndexOf('.')
  if (dot <= path.lastIndexOf('/')) return undefined
  const extension = path.slice(dot + 1).toLowerCase()
  return Object.hasOwn(BY_EXTENSION, extension) ? BY_EXTENSION[extension] : undefined
}
