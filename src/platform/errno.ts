/** The `code` of a system error such as ENOENT; undefined for anything else that was thrown. */
export function errnoOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined
}
