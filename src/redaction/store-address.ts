const HIDDEN = '***'

/** Only what can hold no part of a password, wherever its owner forgot to escape it: anything else is not shown at all. */
const PLAIN_ADDRESS =
  /^(postgres(?:ql)?:\/\/)(?:([\w.~+-]*)(?::[^@/?#\s]*)?@)?((?:[\w.-]|%2f)*|\[[\da-f:.]+\])(:\d{1,5})?(\/[\w.~-]*)?(?:\?([^@#\s]*))?$/i

/** Parameters of PostgreSQL drivers that are no secret. What is not known here is hidden. */
const OPEN_PARAMETERS: ReadonlySet<string> = new Set(
  'host port user db dbname database ssl sslmode sslnegotiation sslrootcert sslcert sslkey passfile application_name connect_timeout client_encoding encoding uselibpqcompat keepalives target_session_attrs channel_binding'.split(
    ' ',
  ),
)
/** Known by name, and no more. Behind an unescaped `&`, what looks like the name of any other is a piece of a value. */
const HIDDEN_PARAMETERS: ReadonlySet<string> = new Set(['password', 'sslpassword', 'options'])
const PLAIN_VALUE = /^[\w./~-]*$/

function showParameter(pair: string): string {
  const at = pair.indexOf('=')
  const name = at === -1 ? pair : pair.slice(0, at)
  if (at === -1 || !(OPEN_PARAMETERS.has(name) || HIDDEN_PARAMETERS.has(name))) return HIDDEN
  const value = pair.slice(at + 1)
  return `${name}=${OPEN_PARAMETERS.has(name) && PLAIN_VALUE.test(value) ? value : HIDDEN}`
}

/** The store's address for people: never a password, in whatever spelling the address holds it. */
export function showStoreUrl(url: string): string {
  if (url.startsWith('sqlite:')) return url
  const found = PLAIN_ADDRESS.exec(url)
  if (found === null) return /^postgres(?:ql)?:\/\//i.test(url) ? `postgres://${HIDDEN}` : HIDDEN
  const [, scheme = '', user, host = '', port = '', database = '', query] = found
  const hasPassword = user !== undefined && url.startsWith(`${scheme}${user}:`)
  const who = user === undefined ? '' : `${user}${hasPassword ? `:${HIDDEN}` : ''}@`
  const parameters = query === undefined ? '' : `?${query.split('&').map(showParameter).join('&')}`
  return `${scheme}${who}${host}${port}${database}${parameters}`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // A percent sign that escapes nothing: the text is as it is.
    return text
  }
}

/** Short enough to be in any word: taking it out would tell more than leaving it. */
const SHORTEST_SECRET = 3

/** Whatever in the address may be a secret or a piece of one, as it is written and as the driver reads it; the longest first. */
function secretsOf(url: string): readonly string[] {
  const rest = url.slice(url.indexOf('://') + 3)
  const password = /^[^:@/?#]*:(.*)@/s.exec(rest)?.[1]
  const query = rest.slice(rest.indexOf('?') + 1)
  const values = rest.includes('?')
    ? query.split('&').flatMap((pair) => {
        const [name = '', ...value] = pair.split('=')
        if (OPEN_PARAMETERS.has(name)) return []
        return HIDDEN_PARAMETERS.has(name) ? [value.join('=')] : [name, value.join('=')]
      })
    : []
  // Unescaped, a password falls apart at a sign, and each piece may pass for a host or a database.
  const whole = [...(password === undefined ? [] : [password]), ...values]
  const pieces = whole.flatMap((text) => text.split(/%[\da-f]{2}|[^\p{L}\p{N}_-]/iu))
  return [...new Set([...whole.flatMap((text) => [text, decoded(text)]), ...pieces])]
    .filter((text) => text.length >= SHORTEST_SECRET)
    .sort((a, b) => b.length - a.length)
}

/** Takes the secrets of a store's address out of what others say about it, such as a driver's error. */
export function hideStoreSecrets(url: string): (text: string) => string {
  const secrets = secretsOf(url)
  return (text) => secrets.reduce((shown, secret) => shown.replaceAll(secret, HIDDEN), text)
}
