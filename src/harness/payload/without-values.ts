import { createRedactor } from '../../redaction/redactor.ts'
import { mayHoldName } from '../../kernel/text/identifiers.ts'

const redactor = createRedactor()

/** A secret is known by the words around it, which a list of names does not have any more. */
const SPEAKS_OF_SECRETS = /passw|passphrase|secret|token|api.?key|private.?key|access.?key|credential|bearer|\bpwd\b/i

/** Readers number the lines of what they show. */
const START = String.raw`^[ \t]{0,80}(?:\d{1,7}(?:→|: ?|\| ?|\t))?[ \t]{0,80}`
const NAME = String.raw`([\w$]{1,60})`
const DECLARATION = new RegExp(
  String.raw`${START}(?:(?:async|default|export|private|protected|pub|public|static) ){0,4}(?:class|const|def|enum|fn|func|function|interface|let|struct|type|var) {1,4}(?:\([^()\n]{0,80}\) {0,4})?${NAME}(?= {0,4}(?:[({<=:;]|struct\b|interface\b|extends\b|implements\b))`,
)
const KEY = new RegExp(String.raw`${START}["'\x60]?${NAME}["'\x60]?[ \t]{0,40}:?=?$`)
const CALL = /(?<![\w$.])([\w$]{1,60})\(/g

/** Of a line that speaks of a secret: what it declares, calls, or gives a value to. Never what stands where the value is. */
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

/** `password:` or `<token>`, with what it is on the next line. */
const OPEN_END = /^[^({]{0,100}(?::|=|>|: ?[|>][-+]?)$/

function awaitsSecret(line: string): boolean {
  return OPEN_END.test(line) && SPEAKS_OF_SECRETS.test(line)
}

/** Who logs in stands in an address, and what with. */
const LOGIN = /:\/\/[^\s/@]{1,200}@/g

/**
 * What names may be taken from: without what redaction would take out, which it cannot any more once only pieces are left of it, and
 * without the values that are secret because a line says so.
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
