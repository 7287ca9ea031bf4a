const MAX_KEY_CHARS = 48

/** The last line of a block that could not say everything: which tool says the rest, and of which session. */
export function pointerTo(sessionKey: string): string {
  const isShort = sessionKey.length <= MAX_KEY_CHARS && !/["\s]/.test(sessionKey)
  return `More: MCP tool checkpoint_resume${isShort ? `, session "${sessionKey}"` : ' without arguments'}`
}
