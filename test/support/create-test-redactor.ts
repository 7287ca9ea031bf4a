import type { Redactor } from '../../src/kernel/ports/ports.ts'

/** A redactor that does one thing to each text. */
export function createTestRedactor(redact: (text: string) => string): Redactor {
  return { redact, redactAll: (texts) => texts.map(redact), findings: () => [], isPiece: () => false }
}
