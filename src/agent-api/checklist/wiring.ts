import type { ItemClaim } from './item-claim.ts'
import { isTestPath } from './item-claim.ts'
import { splitName, toPlain } from './item-words.ts'

/** A file of the project, for looking whether anything reads a setting or serves a route. */
export interface ProjectSource {
  readonly path: string
  readonly text: string
}

export interface WiringGap {
  readonly path: string
  readonly line: number
  readonly detail: string
}

const ASKS_FOR_SETTING =
  /\b(?:configur\w*|settings?|options?|flags?|env(?:ironment)?(?: var\w*)?|honou?rs?|respects?|(?:comes?|taken|reads?|read) from|via|through|properties|property)\b|(?<![\w-])--[a-z]/i
const ASKS_FOR_WORDS_ONLY =
  /\b(?:docs?|document\w*|readme|example|template|typed?|types|declar\w*|schema|lint\w*|ci)\b/i
const SETTING =
  /(?<![\w./-])(--[a-z][\w-]+|[A-Z][A-Z\d]+(?:_[A-Z\d]+)+|[a-z]\w*(?:[._-][a-z\d]\w*)+|[a-z]+(?:[A-Z][a-z\d]+)+)(?![\w/(-])/g
/** Settings of frameworks, which read them. */
const OF_FRAMEWORK =
  /^(?:spring|server|management|logging|quarkus|micronaut|eureka|security|hibernate|node|npm|git|docker|ci|python|go|rust|java|vite|next)[._-]/i
const CONFIG_FILE = /\.(?:properties|env|toml|ini|ya?ml|json)$|(?:^|\/)\.env[^/]*$/i
const OF_TOOLS =
  /(?:^|\/)(?:package|tsconfig|jsconfig|biome|composer|cargo|pyproject|docker-compose|compose|\.\w+rc)[^/]*$|(?:^|\/)(?:settings[^/]*\.py|\.github\/.*|\.gitlab-ci\.yml)$/i
const DOCUMENT = /\.(?:md|txt|rst|lock|svg|html|css|snap)$/i
const TOKEN = /[A-Za-z_$][\w$]*(?:[.-][A-Za-z_][\w$]*)*/g
const COMMENT = /^\s*(?:\/\/|#(?!\[)|\*|\/\*|--)/
const OPTION =
  /\.?(?:option|addOption|requiredOption|add_argument|add_option|Arg::new|arg!|flag\.\w+|Flags\(\)\.\w+|click\.option|typer\.Option)\(/
const MODIFIERS =
  '(?:(?:pub(?:\\([a-z]+\\))?|private|protected|public|readonly|static|final|export|const|let|var|val|mut|self\\.|this\\.)\\s*)*'

/** Whether the line only declares the setting: as a key, a field, a variable or an option. */
function isDeclaration(line: string, forms: ReadonlySet<string>): boolean {
  if (OPTION.test(line) || /^\s*(?:#\[|@\w|(?:async\s+)?def\s[^:]*\)(?:\s*->[^:]+)?:\s*$)/.test(line)) return true
  const key = new RegExp(`^\\s*${MODIFIERS}["'\`]?([\\w$.-]+?)["'\`]?\\s*[?!]?\\s*(?::?=(?!=)|:)`).exec(line)?.[1]
  const field =
    /^\s*(?:(?:private|public|protected|static|final)\s+)*(?:([A-Z]\w*)\s+[\w.*[\]]+\s*(?:`|$)|[\w<>]+\s+(\w+);$)/.exec(
      line,
    )
  return [key, field?.[1], field?.[2]].some((name) => name !== undefined && forms.has(toPlain(name)))
}

function listSettings({ text }: ItemClaim): readonly string[] {
  if (!ASKS_FOR_SETTING.test(text) || ASKS_FOR_WORDS_ONLY.test(text)) return []
  return [...new Set([...text.matchAll(SETTING)].map(([, name = '']) => name))]
    .filter((name) => name.startsWith('--') || splitName(name).length > 1)
    .map((name) => name.replace(/^--(?:no-)?/, ''))
    .filter((name) => !OF_FRAMEWORK.test(name) && !/\.\w{1,4}$/.test(name))
}

function findUnread(setting: string, sources: readonly ProjectSource[]): WiringGap | undefined {
  const last = setting.split('.').at(-1) ?? ''
  const forms = new Set([setting, ...(splitName(last).length > 1 ? [last] : [])].map(toPlain))
  let declared: WiringGap | undefined
  for (const { path, text } of sources) {
    if (DOCUMENT.test(path) || isTestPath(path)) continue
    if (OF_TOOLS.test(path) && text.includes(setting)) return undefined
    for (const [n, line] of text.split('\n').entries()) {
      if (COMMENT.test(line)) continue
      const isNamed = (line.match(TOKEN) ?? []).some(
        (token) => toPlain(token) === toPlain(setting) || token.split('.').some((one) => forms.has(toPlain(one))),
      )
      if (!isNamed) continue
      if (!CONFIG_FILE.test(path) && !isDeclaration(line, forms)) return undefined
      declared ??= { path, line: n + 1, detail: `nothing reads ${setting}` }
    }
  }
  return declared
}

const ROUTE = /\b(GET|POST|PUT|PATCH|DELETE)\s+(?:https?:\/\/[^/\s]+)?(\/[\w\-./:{}<>[\]$*]+)/g
/** Where the path of a file is the route. */
const ROUTE_FOLDER = /(?:^|\/)(?:app|pages|routes?|api|endpoints?|functions|controllers?)\//
/** How a program names the routes it serves. */
const SERVES =
  /\.(?:get|post|put|patch|delete|route|use|all|handle|HandleFunc|Handle|GET|POST|PUT|PATCH|DELETE|Group|Mount|mount|nest|add_url_rule)\(\s*["'`][^"'`]*\/|@(?:Get|Post|Put|Patch|Delete|Request)(?:Mapping)?\(|@\w+\.(?:get|post|put|patch|delete|route)\(|\b(?:re_)?path\(\s*r?["']/

function findUnserved(route: string, sources: readonly ProjectSource[]): WiringGap | undefined {
  const last = route.split('/').findLast((part) => /^[\w-]{3,}$/.test(part))
  if (last === undefined) return undefined
  const isPart = new RegExp(`(?:^|[/"'\`\\s])${last}(?:$|[/"'\`?\\s])`)
  let server: WiringGap | undefined
  for (const { path, text } of sources) {
    if (DOCUMENT.test(path) || isTestPath(path)) continue
    if (
      ROUTE_FOLDER.test(path) &&
      path
        .replace(/\.\w+$/, '')
        .split('/')
        .includes(last)
    )
      return undefined
    for (const [n, line] of text.split('\n').entries()) {
      const strings = line.match(/"[^"]*"|'[^']*'|`[^`]*`/g) ?? []
      if (strings.some((one) => isPart.test(one))) return undefined
      if (new RegExp(`\\b(?:def|fn|func|function)\\s+${last}\\b|^\\s*(?:async\\s+)?${last}\\s*\\(`).test(line))
        return undefined
      if (server === undefined && SERVES.test(line))
        server = { path, line: n + 1, detail: `no route for ${route} is registered` }
    }
  }
  return server
}

/** Whether an item may be about a setting or a route. */
export const needsWiring = (claim: ItemClaim): boolean =>
  !claim.isCleanup &&
  !claim.isRemoval &&
  !claim.isMove &&
  (listSettings(claim).length > 0 || listRoutes(claim).length > 0)

const listRoutes = ({ text }: ItemClaim): readonly string[] => [...text.matchAll(ROUTE)].map(([, , path = '']) => path)

/** Settings of the item that are declared and not read, and routes that a program with routes does not serve. */
export function findUnwired(claim: ItemClaim, sources: readonly ProjectSource[]): readonly WiringGap[] {
  if (!needsWiring(claim) || claim.isAboutTests) return []
  return [
    ...listSettings(claim).flatMap((one) => findUnread(one, sources) ?? []),
    ...listRoutes(claim).flatMap((one) => findUnserved(one, sources) ?? []),
  ]
}
