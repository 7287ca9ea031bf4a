/** JSON with every string redacted on its way out. Names of members are our own schemas' and say nothing about secrets. */
export function toJson(value: unknown, redact: (text: string) => string): string {
  return JSON.stringify(value, (_name, member: unknown) => (typeof member === 'string' ? redact(member) : member))
}
