/** The `code` of a system error such as ENOENT; undefined for anything else that was thrown. */
export function errnoOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined
}

/** No room on the disk, or none left of what this user may have. */
export function isDiskFull(thrown: unknown): boolean {
  const code = errnoOf(thrown)
  return code === 'ENOSPC' || code === 'EDQUOT'
}
