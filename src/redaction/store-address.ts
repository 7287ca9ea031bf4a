const HIDDEN = '***'

/** Matches only addresses that cannot show part of an unescaped password; any other address is hidden. */
const PLAIN_ADDRESS =
  /^(postgres(?:ql)?:\/\/)(?:([\w.~+-]*)(?::[^@/?#\s]*)?@)?((?:[\w.-]|%2f)*|\[[\da-f:.]+\])(:\d{1,5})?(\/[\w.~-]*)?(?:\?([^@#\s]*))?$/i

/** Parameters of PostgreSQL drivers that are not secret. Unknown parameters are hidden. */
const OPEN_PARAMETERS: ReadonlySet<string> = new Set(
  'host port user db dbname database ssl sslmode sslnegotiation sslrootcert sslcert sslkey passfile application_name connect_timeout client_encoding encoding uselibpqcompat keepalives target_session_attrs channel_binding'.split(
    ' ',
  ),
)
/** Their name is shown, their value is not. After an unescaped `&`, an unknown name may be a piece of a value. */
const HIDDEN_PARAMETERS: ReadonlySet<string> = new Set(['password', 'sslpassword', 'options'])
const PLAIN_VALUE = /^[\w./~-]*$/

function showParameter(pair: string): string {
  const at = pair.indexOf('=')
  const name = at === -1 ? pair : pair.slice(0, at)
  if (at === -1 || !(OPEN_PARAMETERS.has(name) || HIDDEN_PARAMETERS.has(name))) return HIDDEN
  const value = pair.slice(at + 1)
  return `${name}=${OPEN_PARAMETERS.has(name) && PLAIN_VALUE.test(value) ? value : HIDDEN}`
}

/** The store's address for display, without its password however it is written. */
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
    // A percent sign that escapes nothing: return the text unchanged.
    return text
  }
}

/** A shorter secret may be part of any word: removing it would reveal more than leaving it. */
const SHORTEST_SECRET = 3

/** Every part of the address that may be a secret or a piece of one, encoded and decoded; longest first. */
function collectSecrets(url: string): readonly string[] {
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
  // An unescaped password is split at its special characters, and a driver may report a piece as a host or database.
  const whole = [...(password === undefined ? [] : [password]), ...values]
  const pieces = whole.flatMap((text) => text.split(/%[\da-f]{2}|[^\p{L}\p{N}_-]/iu))
  return [...new Set([...whole.flatMap((text) => [text, decoded(text)]), ...pieces])]
    .filter((text) => text.length >= SHORTEST_SECRET)
    .sort((a, b) => b.length - a.length)
}

/** Removes the secrets of a store's address from text such as a driver's error. */
export function hideStoreSecrets(url: string): (text: string) => string {
  const secrets = collectSecrets(url)
  return (text) => secrets.reduce((shown, secret) => shown.replaceAll(secret, HIDDEN), text)
}
