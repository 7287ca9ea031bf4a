/** Examples hold no secrets, and their placeholders are words that belong in other texts. */
const EXAMPLE_SUFFIXES: readonly string[] = ['.example', '.sample', '.template', '.dist', '.defaults']

/** Whether a file of that name holds a project's secrets: `.env`, `.env.local` and the like. Takes a path too. */
export function isEnvFile(path: string): boolean {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
  if (name !== '.env' && !name.startsWith('.env.')) return false
  return !EXAMPLE_SUFFIXES.some((suffix) => name.endsWith(suffix))
}
