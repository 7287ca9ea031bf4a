/**
 * PostgreSQL refuses NUL in text and SQLite bindings cut it off there; a lone surrogate has no UTF-8. Every string that
 * goes to either database passes here, so that what is looked up is what was kept. JSON bodies have both escaped already.
 */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\u2400')
}

export function storable(parameter: unknown): unknown {
  return typeof parameter === 'string' ? storableText(parameter) : parameter
}
