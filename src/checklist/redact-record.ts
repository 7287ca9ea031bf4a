import type { ItemRecord } from '../core/checklist.ts'
import type { Redactor } from '../core/ports.ts'
import { redactFields } from '../core/redaction/redact-fields.ts'

const MAX_TEXT_CHARS = 2_000
const MAX_NAME_CHARS = 300

/** Without secrets and bounded: a command, its output and a note are somebody's text. */
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
