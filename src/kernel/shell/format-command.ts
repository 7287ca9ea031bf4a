function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}

/** The words as typed in a POSIX shell, with the change of folder before them. */
export function formatReopening(command: readonly string[], cwd?: string): string {
  const line = command.map(quoteWord).join(' ')
  return cwd === undefined ? line : `cd ${quoteWord(cwd)} && ${line}`
}
