import type { ItemRecord, StatedVerification } from '../../kernel/checklist.ts'
import type { Redactor } from '../../kernel/ports/ports.ts'
import { redactFields } from '../../redaction/redact-fields.ts'
import { holdsMark } from '../../redaction/text/span.ts'

const MAX_TEXT_CHARS = 2_000
const MAX_NAME_CHARS = 300

/** Redacts and bounds command, output and note. */
export function redactRecord({ note, run, ...entry }: ItemRecord, redactor: Redactor): ItemRecord {
  return redactFields(redactor, (clean) => {
    const bounded = (text: string, max = MAX_TEXT_CHARS) => clean(text.toWellFormed()).slice(0, max)
    return {
      ...entry,
      itemId: bounded(entry.itemId),
      section: bounded(entry.section),
      text: bounded(entry.text),
      by: bounded(entry.by, MAX_NAME_CHARS),
      ...(note !== undefined && { note: bounded(note) }),
      ...(run !== undefined && {
        run: {
          ...run,
          command: bounded(run.command),
          output: bounded(run.output),
          ...(run.expect !== undefined && { expect: bounded(run.expect) }),
        },
      }),
    }
  })
}

function describeChange(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  if (holdsMark(text)) return 'was redacted when it was stored'
  // A text of exactly the limit may have been cut.
  return text.length >= MAX_TEXT_CHARS ? 'was cut when it was stored' : undefined
}

/** Why a stored verification cannot be repeated: its text was cut or redacted. */
export function explainNotRepeatable({ command, expect }: StatedVerification): string | undefined {
  const ofCommand = describeChange(command)
  if (ofCommand !== undefined) return `its command ${ofCommand}`
  const ofExpected = describeChange(expect)
  return ofExpected === undefined ? undefined : `its expected text ${ofExpected}`
}
