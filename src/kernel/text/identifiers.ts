/** Not in the middle of a word that begins with a digit. */
const WORD = /(?<![A-Za-z0-9_$])[A-Za-z_$][A-Za-z0-9_$]*/g
const MIN = 5
const MAX_NAME_CHARS = 48
const MAX_TEXT = 8_000

/** `__name` is an identifier; `__name__` belongs to the language. */
const HIDDEN = /^__[A-Za-z]\w*(?<!__)$/

/** camelCase, PascalCase, snake_case and SCREAMING_CASE: two words or more, so that prose does not pass for code. */
function isIdentifier(word: string): boolean {
  if (word.length < MIN || word.length > MAX_NAME_CHARS) return false
  const bare = word.replace(/^[_$]+|[_$]+$/g, '')
  if (bare.length < MIN) return false
  if (HIDDEN.test(word)) return true
  if (/^[0-9a-f]+$/.test(bare) || /\d{6,}/.test(bare)) return false
  if (bare.includes('_')) return /[A-Za-z]{2}/.test(bare)
  return /[a-z0-9][A-Z]/.test(bare) && /[a-z]{2}/.test(bare)
}

/** A cheap test that rules out most lines. */
export function mayHoldName(line: string): boolean {
  return /_|[a-z0-9][A-Z]/.test(line)
}

const FILE_ENDING = /^\.(?:[cm]?[jt]sx?|py|go|rs|md|json|ya?ml|toml|sh|rb|php|java|kt|css|html|sql|txt)\b/

/** An environment variable or a constant. */
const SETTING = /^[A-Z][A-Z0-9]*_[A-Z0-9_]+$/

/** Parts of paths, addresses, packages and data are not names in the code. */
function isPartOfSomethingElse(text: string, start: number, end: number): boolean {
  const before = text[start - 1] ?? ''
  const after = text[end] ?? ''
  if ('/-@\\'.includes(before) && before !== '') return true
  // A member access names its object's type; a member of this project also appears alone somewhere.
  if (before === '.' && text[start - 2] !== '.' && !SETTING.test(text.slice(start, end))) return true
  if (after === '/' || after === '-') return true
  const isDataKey = before === '"' && after === '"' && text[end + 1] === ':'
  return isDataKey || (after === '.' && FILE_ENDING.test(text.slice(end, end + 8)))
}

/** `$HOME_DIR` in a shell and `HOME_DIR` are one name. */
const SHELL_VARIABLE = /^\$[A-Z][A-Z0-9_]*$/

function* wordsIn(text: string): Generator<{ readonly name: string; readonly start: number; readonly end: number }> {
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const sign = SHELL_VARIABLE.test(word) ? 1 : 0
    yield { name: word.slice(sign), start: index + sign, end: index + word.length }
  }
}

/** Distinct, in order of first appearance. */
export function findIdentifiers(text: string, limit = 60): readonly string[] {
  const scanned = text.length > MAX_TEXT ? text.slice(0, MAX_TEXT) : text
  const found = new Set<string>()
  for (const { name, start, end } of wordsIn(scanned)) {
    if (found.has(name) || !isIdentifier(name)) continue
    if (EVERYWHERE.has(name) || looksGenerated(name)) continue
    if (isPartOfSomethingElse(scanned, start, end)) continue
    found.add(name)
    if (found.size >= limit) break
  }
  return [...found]
}

/** The names that a text uses most, the most frequent first; ties in order of appearance. */
export function countIdentifiers(text: string, limit: number): readonly string[] {
  const counts = new Map<string, number>()
  for (const { name, start, end } of wordsIn(text)) {
    const before = counts.get(name)
    if (before !== undefined) counts.set(name, before + 1)
    else if (isIdentifier(name) && !isPartOfSomethingElse(text, start, end)) counts.set(name, 1)
  }
  return [...counts]
    .filter(([name]) => !EVERYWHERE.has(name) && !looksGenerated(name))
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, limit)
    .map(([name]) => name)
}

/** The random part of a service's id: both cases and digits, not pronounceable. */
function isUnsayable(part: string): boolean {
  return part.length >= 14 && /\d/.test(part) && /[a-z]/.test(part) && /[A-Z]/.test(part) && !/[a-z]{4}/.test(part)
}

/** Ids such as `toolu_01AbC…` or base64: digits among letters, no words, or a case that keeps changing. */
function looksGenerated(word: string): boolean {
  if (word.length < 16 || /^[A-Z0-9_]+$/.test(word)) return false
  const digits = word.replace(/\D/g, '').length
  const changes = word.match(/(?<=[a-z])[A-Z]|(?<=[A-Z])[a-z]/g)?.length ?? 0
  const hasWord = /[a-z]{4}/.test(word) || word.includes('_')
  return digits >= 4 || !hasWord || changes > word.length / 2 || word.split('_').some(isUnsayable)
}

/** Names that occur in every project. */
const EVERYWHERE: ReadonlySet<string> = new Set(
  'TypeScript JavaScript GitHub GitLab toString forEach indexOf startsWith endsWith toLowerCase toUpperCase toEqual toBeDefined toHaveBeenCalled querySelector innerHTML addEventListener getElementById readFileSync writeFileSync existsSync setTimeout setInterval clearTimeout isNaN parseInt parseFloat isArray hasOwnProperty getTime toISOString console_log className useState useEffect useMemo useCallback useRef useContext useReducer onClick onChange onSubmit beforeEach afterEach beforeAll afterAll ReactDOM ReactNode defineConfig localStorage sessionStorage preventDefault encodeURIComponent decodeURIComponent fmtErrorf file_path old_string new_string replace_all tool_use output_mode head_limit'.split(
    ' ',
  ),
)

const REF = /(?:^|[\s([{"'`,:])(#\d{2,6}|[A-Z][A-Z0-9]{1,9}-\d{1,6})(?![\w-])/g
const NOT_TICKETS = /^(?:UTF|SHA|ISO|RFC|AES|MD|HTTP|TLS|SSL|ES|CVE|GPT|UTC|GMT|PR|T|V)-?\d/

/** The URL of an issue or a pull request. */
const ADDRESS = /https?:\/\/[^\s/]+\/\S{1,200}?\/(?:issues|pull|pulls|merge_requests)\/(\d{1,6})(?!\d)/g

/** Issue and ticket references such as #123 or ABC-12, and addresses of such. */
export function findReferences(text: string, limit = 10): readonly string[] {
  const found = new Set<string>()
  for (const match of text.slice(0, MAX_TEXT).replace(ADDRESS, ' #$1 ').matchAll(REF)) {
    const ref = match[1]
    if (ref === undefined || NOT_TICKETS.test(ref)) continue
    found.add(ref)
    if (found.size >= limit) break
  }
  return [...found]
}
