import { posix } from 'node:path'
import { sentenceWords } from './item-words.ts'
import {
  ASKS_FOR_CLEANUP,
  ASKS_FOR_CONSTANT,
  ASKS_FOR_ERRORS,
  ASKS_FOR_LOCAL,
  ASKS_FOR_MOVE,
  ASKS_FOR_REFUSAL,
  ASKS_FOR_REMOVAL,
  ASKS_FOR_SILENCE,
  ASKS_FOR_SKIP,
  ASKS_FOR_STUB,
  ASKS_FOR_TESTS,
  WORKING_ITEM,
} from './vocabulary.ts'

/** What a ticked item claims, as far as code can show it. */
export interface ItemClaim {
  /** Relative to the root. */
  readonly paths: readonly string[]
  /** Something is removed, which may be code or what the code works on. */
  readonly isRemoval: boolean
  /** Old code is removed, so the rest of it proves nothing. */
  readonly isCleanup: boolean
  readonly isMove: boolean
  readonly folders: readonly string[]
  /** Of `paths`: data that the program reads or writes when it runs. */
  readonly dataPaths: readonly string[]
  /** Names of code in the item: `verifyToken`, `Cart.total`. */
  readonly names: readonly string[]
  /** Of `names`: the item says that they were made. */
  readonly madeNames: readonly string[]
  readonly words: ReadonlySet<string>
  readonly isAboutTests: boolean
  readonly wantsStub: boolean
  readonly wantsConstant: boolean
  readonly wantsRefusal: boolean
  readonly wantsSkip: boolean
  readonly wantsLocalHost: boolean
  readonly isWorking: boolean
  readonly isAboutErrors: boolean
  readonly text: string
}

const MAX_PATHS = 5
const EXTENSIONS =
  'tsx?|jsx?|[cm][jt]s|pyi?|go|rs|java|kts?|cc?|cpp|hpp?|cs|rb|php|swift|scala|sh|vue|svelte|dart|ex|exs|lua|sql|proto|graphql|html|css|scss|ya?ml|toml|json|md|tf|gradle|xml'
const PATH = new RegExp(
  String.raw`(?<![\w./:@-])((?:\.{0,2}\/)?(?:[\w@.+[\]-]+\/)*[\w@.+[\]-]+\.(?:${EXTENSIONS}))(?::\d+(?:[-:]\d+)?)?(?![\w/])`,
  'g',
)
/** Products whose names look like files. */
const PRODUCT =
  /^(?:node|vue|next|nuxt|react|express|three|d3|chart|socket|discord|ember|backbone|moment|alpine|electron|deno|bun|day|knockout|angular|p5|require|video|math|paper|pdf|ml5|brain|asp|nest|koa|hapi|sails|meteor|solid|preact|redux|jquery|underscore|handlebars|mustache|types)\.(?:js|ts|io|net)$/i
const FOLDER = /(?<![\w./:-])((?:[\w@.-]+\/)+)(?![\w@.-])/g
const QUOTED_NAME = /`\.?(?:[\w$]+(?:\.|::|#|->))*([A-Za-z_$][\w$]*)(?:\(\s*[^`]*\))?`/g
const CALLED_NAME = /(?<![\w./`])(?:[\w$]+(?:\.|::|#))*([A-Za-z_$][\w$]{2,})\(\s*[\w\s,:.&<>[\]]*\)/g
/** `search.Query` without quotes. A name that nothing has matches nothing. */
const DOTTED_NAME = /(?<![\w./`@:-])[A-Za-z_]\w*(?:\.|::|#)([A-Za-z_]\w{2,})(?![\w/.(-])/g
const CASED_NAME =
  /(?<![\w./`@-])([a-z]+[a-z\d]*(?:[A-Z][a-z\d]*)+|[A-Z][a-z\d]+(?:[A-Z][a-z\d]*)+|[a-z\d]+(?:_[a-z\d]+)+|[A-Z][A-Z\d]+(?:_[A-Z\d]+)+)(?![\w/.-]|\.\w)/g
const MADE =
  /\b(?:implement(?:s|ed)?|add(?:s|ed)?|creat(?:e|es|ed)|writ(?:e|ten)|wrote|defin(?:e|ed)|export(?:s|ed)?|introduc(?:e|ed)|build|built|finish(?:ed)?|complet(?:e|ed))\s+(?:the |an? |our )?(?:new )?(?:async )?(?:function |method |class |helper |struct |trait |type )?$/i
const COMMON_CASED =
  /^(?:GitHub|GitLab|JavaScript|TypeScript|OAuth|OAuth2|GraphQL|PostgreSQL|MySQL|MongoDB|WebSocket|WebSockets|DevOps|iOS|macOS|OpenAPI|NoSQL|LaTeX|YouTube|LinkedIn|PayPal|OpenAI|NumPy|PyTorch|TensorFlow|FastAPI|RabbitMQ|ElasticSearch|IPv4|IPv6|JSONPath|DynamoDB|CloudFront|WebAssembly|WebRTC|eBPF|README|gRPC|jQuery)$/

function pathsIn(text: string): readonly string[] {
  const found = [...text.replace(/\w+:\/\/\S+/g, ' ').matchAll(PATH)].map(([, path = '']) => posix.normalize(path))
  return [...new Set(found)]
    .map((path) => path.replace(/^\//, ''))
    .filter((path) => !path.startsWith('..') && !PRODUCT.test(path) && !/[*]/.test(path) && !/^\.\w+$/.test(path))
    .slice(0, MAX_PATHS)
}

function namesIn(text: string): { readonly names: readonly string[]; readonly madeNames: readonly string[] } {
  const bare = text.replace(PATH, ' ')
  const names = new Set<string>()
  const madeNames = new Set<string>()
  for (const pattern of [QUOTED_NAME, CALLED_NAME, DOTTED_NAME, CASED_NAME])
    for (const { 1: name = '', index } of bare.matchAll(pattern)) {
      if (COMMON_CASED.test(name)) continue
      names.add(name)
      if (MADE.test(bare.slice(0, index).replace(/`$/, ''))) madeNames.add(name)
    }
  return { names: [...names], madeNames: [...madeNames] }
}

const DATA = /\.(?:ya?ml|toml|json|xml|sql|html|sh|md)$/i
/** `from`, `to` and the like stand before what is read or written, `in` before where code is. */
const HANDLED =
  /\b(?:from|reads?|load(?:s|ed)?|pars(?:e|es|ed)|to|into|via|using|imports?|exports?)\s+(?:the |an? )?`?$/i

const dataIn = (text: string, paths: readonly string[]): readonly string[] =>
  paths.filter((path) => DATA.test(path) && !path.includes('/') && HANDLED.test(text.slice(0, text.indexOf(path))))

/** Reads the item's line, and what is written under it for paths and names. */
export function readClaim(text: string, body: string): ItemClaim {
  const paths = pathsIn(`${text}\n${body}`)
  // Names and paths contain words such as stub or local without requesting one.
  const prose = text.replace(PATH, ' ').replace(/`[^`]*`/g, ' ')
  const inTitle = namesIn(text)
  const { names } = inTitle.names.length > 0 ? inTitle : namesIn(body)
  return {
    paths,
    dataPaths: dataIn(text, paths),
    folders: [...new Set([...text.matchAll(FOLDER)].map(([, folder = '']) => posix.normalize(folder)))]
      .filter((folder) => !folder.startsWith('..') && !/^(?:and|or|w|i)\//.test(folder))
      .slice(0, MAX_PATHS),
    names,
    madeNames: inTitle.madeNames,
    words: sentenceWords(text),
    isRemoval: ASKS_FOR_REMOVAL.test(text),
    isCleanup: ASKS_FOR_REMOVAL.test(text) && ASKS_FOR_CLEANUP.test(text),
    isMove: ASKS_FOR_MOVE.test(prose),
    isAboutTests: ASKS_FOR_TESTS.test(text.replace(PATH, ' ')) || (paths.length > 0 && paths.every(isTestPath)),
    wantsStub: ASKS_FOR_STUB.test(prose),
    wantsConstant: ASKS_FOR_CONSTANT.test(prose),
    wantsRefusal: ASKS_FOR_REFUSAL.test(prose),
    wantsSkip: ASKS_FOR_SKIP.test(prose),
    wantsLocalHost: ASKS_FOR_LOCAL.test(prose),
    isWorking: WORKING_ITEM.test(text),
    isAboutErrors: ASKS_FOR_ERRORS.test(prose) && !ASKS_FOR_SILENCE.test(prose),
    text,
  }
}

export function isTestPath(path: string): boolean {
  return /(?:^|\/)(?:__tests__|tests?|specs?|testing)\/|[._-](?:test|spec)s?\.\w+$|(?:^|\/)test_[^/]+$|Tests?\.(?:java|kt)$/i.test(
    path,
  )
}

/** Set-up, examples and tools, where addresses of this machine belong. */
export function isSetupPath(path: string): boolean {
  return /(?:^|\/)(?:[^/]*\.config\.\w+|[^/]*(?:dev|local|example|sample|fixture|mock|docker|seed|vite|webpack|jest|karma|playwright|cypress)[^/]*)$|(?:^|\/)(?:_?examples?|fixtures?|scripts?|demos?|samples?|benchmarks?|mocks?|__mocks__|testdata)\//i.test(
    path,
  )
}

/** `auth` for `src/auth.ts`, `auth.test.ts`, `test_auth.py`, `AuthTest.java` and `auth_test.go`. */
export function subjectOf(path: string): string {
  const base = posix
    .basename(path)
    .replace(/\.\w+$/, '')
    .replace(/\.d$/, '')
  const bare = base
    .replace(/[._-](?:test|spec)s?$/i, '')
    .replace(/^test_/i, '')
    .replace(/(?<=[a-z])(?:Unit|Integration)?Tests?$/, '')
  if (!/^(?:index|mod|main|__init__|lib|route|\+server|\+page)$/.test(bare)) return bare
  // `users/[id]/route.ts` is about users.
  return (
    posix
      .dirname(path)
      .split('/')
      .findLast((folder) => !/^[[(:]/.test(folder)) ?? bare
  )
}
