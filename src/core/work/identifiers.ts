const WORD = /[A-Za-z_$][A-Za-z0-9_$]*/g
const MIN = 5
const MAX = 48
const MAX_TEXT = 8_000

/** camelCase, PascalCase, snake_case and SCREAMING_CASE: two words or more, so that prose does not pass for code. */
export function isIdentifier(word: string): boolean {
  if (word.length < MIN || word.length > MAX) return false
  const bare = word.replace(/^[_$]+|[_$]+$/g, '')
  if (bare.length < MIN) return false
  if (/^[0-9a-f]+$/.test(bare) || /\d{6,}/.test(bare)) return false
  if (bare.includes('_')) return /[A-Za-z]{2}/.test(bare)
  return /[a-z0-9][A-Z]/.test(bare) && /[a-z]{2}/.test(bare)
}

/** Parts of paths, addresses and packages are not names in the code. */
function isInsidePath(text: string, start: number, end: number): boolean {
  const before = text[start - 1]
  const after = text[end]
  if (before === '/' || before === '-' || before === '@' || before === '\\' || after === '/' || after === '-')
    return true
  return (
    after === '.' &&
    /^\.(?:[cm]?[jt]sx?|py|go|rs|md|json|ya?ml|toml|sh|rb|php|java|kt|css|html|sql|txt)\b/.test(
      text.slice(end, end + 8),
    )
  )
}

export interface NameSeen {
  readonly name: string
  /** Only ever seen behind a dot: `x.name`. */
  readonly isMember: boolean
}

/** Distinct, in order of first appearance. */
export function identifiersIn(text: string, limit = 60): readonly NameSeen[] {
  const scanned = text.length > MAX_TEXT ? text.slice(0, MAX_TEXT) : text
  const found = new Map<string, NameSeen>()
  for (const match of scanned.matchAll(WORD)) {
    const name = match[0]
    if (found.get(name)?.isMember === false || !isIdentifier(name) || looksGenerated(name)) continue
    if (isInsidePath(scanned, match.index, match.index + name.length)) continue
    found.set(name, { name, isMember: scanned[match.index - 1] === '.' })
    if (found.size >= limit) break
  }
  return [...found.values()]
}

/** Ids such as `toolu_01AbC…` or base64: mixed digits and case without words in them. */
function looksGenerated(word: string): boolean {
  const digits = word.replace(/\D/g, '').length
  return word.length >= 16 && (digits >= 4 || !/[a-z]{3}/.test(word)) && !/^[A-Z0-9_]+$/.test(word)
}

const REF = /(?:^|[\s([{"'`,:])(#\d{2,6}|[A-Z][A-Z0-9]{1,9}-\d{1,6})(?![\w-])/g
const NOT_TICKETS = /^(?:UTF|SHA|ISO|RFC|AES|MD|HTTP|TLS|SSL|ES|CVE|GPT|UTC|GMT|PR|T|V)-?\d/

/** Issue and ticket references such as #123 or ABC-12. */
export function refsIn(text: string, limit = 10): readonly string[] {
  const found = new Set<string>()
  for (const match of text.slice(0, MAX_TEXT).matchAll(REF)) {
    const ref = match[1]
    if (ref === undefined || NOT_TICKETS.test(ref)) continue
    found.add(ref)
    if (found.size >= limit) break
  }
  return [...found]
}
