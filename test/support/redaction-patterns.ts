import { formats } from '../../src/redaction/rules/formats.ts'
import { pattern } from '../../src/redaction/text/patterns.ts'

export interface ProvenPattern {
  readonly name: string
  readonly source: string
  readonly flags: string
}

/** A sticky pattern is tried at one place only, which an anchor says in terms that a checker understands. */
function asChecked(name: string, { source, flags }: RegExp): ProvenPattern {
  if (!flags.includes('y')) return { name, source, flags: flags.replace('g', '') }
  return { name, source: `^(?:${source})`, flags: flags.replace('y', '') }
}

/** Every regular expression that redaction runs over text. */
export function redactionPatterns(): ProvenPattern[] {
  return [
    ...Object.entries(pattern).map(([name, regexp]) => asChecked(name, regexp)),
    ...formats.map(({ kind, starts, body }) => asChecked(`${kind} (${starts[0] ?? ''})`, new RegExp(body, 'y'))),
  ]
}
