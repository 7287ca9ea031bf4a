import type { Memory, FailureEvidence } from '../kernel/memory.ts'
import type { Redactor } from '../kernel/ports/ports.ts'
import { redactFields } from './redact-fields.ts'

/** Everything in it that was read from a command or its output. */
export function redactEvidence(evidence: FailureEvidence, redactor: Redactor): FailureEvidence {
  const { undone, resolved } = evidence
  const all = (texts: readonly string[]) => redactor.redactAll(texts)
  return {
    ...evidence,
    keys: all(evidence.keys),
    command: redactor.redact(evidence.command),
    ...(evidence.error === undefined ? {} : { error: redactor.redact(evidence.error) }),
    traits: all(evidence.traits),
    files: all(evidence.files),
    ...(undone === undefined ? {} : { undone: { ...undone, how: redactor.redact(undone.how) } }),
    ...(resolved === undefined ? {} : { resolved: { ...resolved, files: all(resolved.files) } }),
  }
}

/** A memory as it may be told now: a value may have become a secret since it was kept, as when an env file got it. */
export function redactMemory(memory: Memory, redactor: Redactor): Memory {
  const evidence = memory.evidence === undefined ? {} : { evidence: redactEvidence(memory.evidence, redactor) }
  return redactFields(redactor, (clean) => ({
    ...memory,
    content: clean(memory.content),
    tags: memory.tags.map((tag) => clean(tag, 'tags')),
    ...evidence,
  }))
}
