/** The `code` of a system error such as ENOENT; undefined for anything else. */
export function getErrorCode(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined
}

/** The disk or the user's quota is full. */
export function isDiskFull(thrown: unknown): boolean {
  const code = getErrorCode(thrown)
  return code === 'ENOSPC' || code === 'EDQUOT'
}
