import type { DiscrepancyReason } from '../../kernel/checklist.ts'

export interface Suspicion {
  readonly reason: Extract<DiscrepancyReason, 'stub' | 'placeholder-value' | 'local-host' | 'mocked-test'>
  readonly line: number
  readonly detail: string
}

/** Longer lines are data or generated. */
const MAX_LINE_CHARS = 400

const NOTE = /(?:\/\/|#|\/\*|^\s*\*|--|<!--|;)\s*(?:TODO|FIXME|XXX|HACK)\b[:\s(]*(.*)$/
const UNFINISHED = /\b(?:implement(?:ed|ation)?|stub(?:bed)?|placeholder|for real|not done|unfinished|fake|dummy)\b/i
const NOT_IMPLEMENTED =
  /\b(?:throw new \w*Error\(\s*['"`][^'"`]{0,40}\bnot (?:yet )?implemented|raise NotImplementedError|NotImplementedException\(|unimplemented!\(|todo!\(|panic\(\s*"[^"]{0,20}not implemented)/i
const ABSTRACT = /@abstractmethod|\babstract\b|\bABC\b|\bProtocol\b|\binterface\b/

/** A check that accepts any argument. */
const CHECKING =
  '(?:verify|validate|check|authenticate|authorize|authorise|is[A-Z_]|has[A-Z_]|can[A-Z_]|is_|has_|can_)\\w*'
const ACCEPTS_ALL_BRACES = new RegExp(
  `\\b(${CHECKING})\\s*(?:=\\s*(?:async\\s*)?)?\\(\\s*([A-Za-z][^()]{0,120})\\)\\s*(?::\\s*[\\w<>[\\] |.]{1,60})?(?:=>\\s*)?\\{\\s*return\\s+(?:Promise\\.resolve\\(\\s*)?true\\b[\\s;)]*\\}`,
  'g',
)
const ACCEPTS_ALL_PYTHON = new RegExp(
  `\\bdef\\s+(${CHECKING})\\(\\s*([^()]{1,120})\\)[^\\n]{0,60}:\\s*\\n\\s*return True\\b`,
  'g',
)

const LOCAL_HOST =
  /^\s*(?:export\s+)?(?:(?:const|let|var|final|static|public|private)\s+)*[\w.]*(?:url|host|endpoint|base|origin|server)\w*\s*(?::\s*\w+\s*)?=\s*f?['"`](?:https?|wss?):\/\/(?:localhost|127\.0\.0\.1)[^'"`$]*['"`]\s*[;,]?\s*$/i
const PLACEHOLDER =
  /^\s*(?:export\s+)?(?:(?:const|let|var|final|static|public|private)\s+)*[\w.]*(?:key|token|secret|password)\w*\s*(?::\s*\w+\s*)?=\s*['"`][^'"`]{0,60}(?:replace[-_ ]?me|change[-_ ]?me|your[-_ ][\w-]*(?:key|token|secret)|test-key)[^'"`]{0,60}['"`]/i

const MOCKED = /\b(?:jest|vi|vitest)\.(?:mock|doMock)\(\s*(?:import\(\s*)?['"`]([^'"`]+)['"`]/g

export function isTestPath(path: string): boolean {
  return /(?:^|\/)(?:__tests__|tests?|spec)\/|[._-](?:test|spec)s?\.\w+$|(?:^|\/)test_[^/]+$/i.test(path)
}

function isSetupPath(path: string): boolean {
  return /(?:^|\/)(?:[^/]*\.config\.\w+|[^/]*(?:dev|local|example|sample|fixture|mock|docker)[^/]*)$/i.test(path)
}

/** Stemmed words of an item's subject. */
export function subjectWords(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/[a-z]{4,}/g) ?? []
  return new Set(words.filter((word) => !COMMON_WORDS.has(word)).map(stem))
}

const COMMON_WORDS = new Set(
  'with from that this into when then them have been should must will code file files test tests todo done make also only after before each every item task update write implement implemented support handle using used'.split(
    ' ',
  ),
)

function stem(word: string): string {
  return word.replace(/(?:ing|ed|es|s|er)$/, '')
}

function findSharedWord(a: ReadonlySet<string>, b: ReadonlySet<string>): string | undefined {
  return [...a].find((word) => b.has(word))
}

function getLineNumber(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}

function findSuspiciousLines(
  path: string,
  lines: readonly string[],
  subject: ReadonlySet<string>,
): readonly Suspicion[] {
  const found: Suspicion[] = []
  lines.forEach((line, n) => {
    if (line.length > MAX_LINE_CHARS) return
    const add = (reason: Suspicion['reason']) => found.push({ reason, line: n + 1, detail: line.trim().slice(0, 120) })
    const note = NOTE.exec(line)?.[1]
    if (note !== undefined && (UNFINISHED.test(note) || findSharedWord(subjectWords(note), subject) !== undefined))
      add('stub')
    else if (NOT_IMPLEMENTED.test(line) && !ABSTRACT.test(lines.slice(Math.max(0, n - 4), n + 1).join('\n')))
      add('stub')
    else if (!isSetupPath(path) && LOCAL_HOST.test(line)) add('local-host')
    else if (!isSetupPath(path) && PLACEHOLDER.test(line)) add('placeholder-value')
  })
  return found
}

function findAcceptAll(text: string): readonly Suspicion[] {
  return [ACCEPTS_ALL_BRACES, ACCEPTS_ALL_PYTHON].flatMap((pattern) =>
    [...text.matchAll(pattern)].flatMap(({ 0: whole, 1: name = '', 2: parameters = '', index }) => {
      // An unused parameter, or only `self`, means that accepting all is intended.
      if (/^_|^(?:self|cls)\s*$/.test(parameters.trim())) return []
      const detail = `${name}(${parameters.trim().slice(0, 40)}) only returns true`
      return [{ reason: 'stub' as const, line: getLineNumber(text, index + whole.search(/\S/)), detail }]
    }),
  )
}

function baseName(path: string): string {
  return (path.split('/').at(-1) ?? '').replace(/\.[cm]?[jt]sx?$/, '').replace(/[._-](?:test|spec)s?$/i, '')
}

/** A test of `auth` that mocks `./auth` tests its own mock. */
function findSelfMocks(path: string, text: string): readonly Suspicion[] {
  if (/\b(?:importActual|requireActual|importOriginal)\b/.test(text)) return []
  return [...text.matchAll(MOCKED)].flatMap(({ 1: target = '', index }) =>
    target.startsWith('.') && baseName(target) === baseName(path)
      ? [
          {
            reason: 'mocked-test' as const,
            line: getLineNumber(text, index),
            detail: `mocks ${target}, the module it should test`,
          },
        ]
      : [],
  )
}

/** Code that contradicts a finished item. Precise rather than complete: ordinary code must not match. */
export function findSuspiciousCode(path: string, text: string, subject: ReadonlySet<string>): readonly Suspicion[] {
  if (isTestPath(path)) return findSelfMocks(path, text)
  return [...findSuspiciousLines(path, text.split('\n'), subject), ...findAcceptAll(text)].sort(
    (a, b) => a.line - b.line,
  )
}
