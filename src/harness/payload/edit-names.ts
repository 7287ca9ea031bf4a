import type { ToolCall } from '../../kernel/event.ts'
import { countIdentifiers, mayHoldName } from '../../kernel/text/identifiers.ts'
import { scannedPart } from './bounds.ts'
import { createRedactor } from '../../redaction/redactor.ts'

const redactor = createRedactor()

/** A secret is recognised by the words around it, which a list of names no longer has. */
const SPEAKS_OF_SECRETS = /passw|passphrase|secret|token|api.?key|private.?key|access.?key|credential|bearer|\bpwd\b/i

/** Readers put line numbers before the lines they show. */
const START = String.raw`^[ \t]{0,80}(?:\d{1,7}(?:→|: ?|\| ?|\t))?[ \t]{0,80}`
const NAME = String.raw`([\w$]{1,60})`
const DECLARATION = new RegExp(
  String.raw`${START}(?:(?:async|default|export|private|protected|pub|public|static) ){0,4}(?:class|const|def|enum|fn|func|function|interface|let|struct|type|var) {1,4}(?:\([^()\n]{0,80}\) {0,4})?${NAME}(?= {0,4}(?:[({<=:;]|struct\b|interface\b|extends\b|implements\b))`,
)
const KEY = new RegExp(String.raw`${START}["'\x60]?${NAME}["'\x60]?[ \t]{0,40}:?=?$`)
const CALL = /(?<![\w$.])([\w$]{1,60})\(/g

/** For a line that mentions a secret: the names that it declares, calls or assigns to, never the value. */
function namesBeforeValue(line: string): string {
  const sign = /[:=]/.exec(line)
  const before = sign === null ? line : line.slice(0, sign.index)
  const names = [
    DECLARATION.exec(line)?.[1],
    ...(sign === null ? [] : [KEY.exec(before)?.[1]]),
    ...[...before.matchAll(CALL)].map(([, name]) => name),
  ]
  return [...new Set(names.filter((name) => name !== undefined))].join(' ')
}

/** `password:` or `<token>`, with the value on the next line. */
const OPEN_END = /^[^({]{0,100}(?::|=|>|: ?[|>][-+]?)$/

function awaitsSecret(line: string): boolean {
  return OPEN_END.test(line) && SPEAKS_OF_SECRETS.test(line)
}

/** User name and password in a URL. */
const LOGIN = /:\/\/[^\s/@]{1,200}@/g

/**
 * The text that names may be taken from: redacted as a whole, because single words of a secret are no longer
 * recognised, and without values that a line declares secret.
 */
export function withoutValues(text: string): string {
  const kept: string[] = []
  let before = ''
  for (const line of redactor.redact(text).split('\n')) {
    const isKept = mayHoldName(line) && !awaitsSecret(before)
    if (isKept) kept.push(SPEAKS_OF_SECRETS.test(line) ? namesBeforeValue(line) : line.replace(LOGIN, '://'))
    const end = line.trimEnd()
    if (end !== '') before = end
  }
  return kept.join('\n')
}

const MAX_NAMES = 60

/** The names in the text that an edit removed and added, where its fragment does not contain all of it. */
export function editNames(parts: readonly unknown[], fragment: string): Pick<ToolCall, 'names'> {
  const whole = parts.filter((part) => typeof part === 'string').join('\n')
  if (whole.length <= fragment.length + parts.length) return {}
  const names = countIdentifiers(withoutValues(scannedPart(whole)), MAX_NAMES)
  return names.length === 0 ? {} : { names }
}
