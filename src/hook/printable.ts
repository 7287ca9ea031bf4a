/** Claude Code shows 10,000 characters of a hook's output whole, and turns one more into a preview of a file. */
const MAX_CHARS = 9_500

/** What may go to the host's stdout: nothing, plain text, or JSON that is whole. Never more than the host shows. */
export function printable(body: Buffer): string | undefined {
  const text = body.toString('utf8')
  if (text.trim() === '' || text.length > MAX_CHARS || text.includes('\0')) return undefined
  if (!/^\s*\{/.test(text)) return text
  try {
    JSON.parse(text)
    return text
  } catch {
    return undefined
  }
}
