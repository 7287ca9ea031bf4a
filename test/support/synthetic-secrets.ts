/** Random numbers from a seed, the same on every machine: a failing case can be named and seen again. */
export function seeded(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 0x1_0000_0000) * below)
  }
}

type Random = ReturnType<typeof seeded>

const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const UPPER = LOWER.toUpperCase()
const DIGITS = '0123456789'
const HEX = `${DIGITS}abcdef`
const ALNUM = LOWER + UPPER + DIGITS
const BASE64 = `${ALNUM}+/`

function letters(random: Random, alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[random(alphabet.length)]).join('')
}

export interface SecretKind {
  readonly kind: string
  /** Known by its own form; otherwise only by the name it stands behind. */
  readonly isSelfEvident: boolean
  readonly make: (random: Random) => string
}

/** Beginnings are joined from pieces, so that no scanner takes this file for a leak. */
function prefixed(kind: string, pieces: readonly string[], alphabet: string, length: number): SecretKind {
  return { kind, isSelfEvident: true, make: (random) => pieces.join('') + letters(random, alphabet, length) }
}

function named(kind: string, make: (random: Random) => string): SecretKind {
  return { kind, isSelfEvident: false, make }
}

function base64url(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

export const secretKinds: readonly SecretKind[] = [
  prefixed('anthropic', ['sk-', 'ant-', 'api03-'], `${ALNUM}_-`, 93),
  prefixed('openai', ['sk-', 'proj-'], ALNUM, 64),
  prefixed('github', ['gh', 'p_'], ALNUM, 36),
  prefixed('github fine-grained', ['github', '_pat_'], ALNUM, 60),
  prefixed('gitlab', ['gl', 'pat-'], ALNUM, 20),
  prefixed('aws id', ['AK', 'IA'], `${UPPER}234567`, 16),
  prefixed('slack', ['xo', 'xb-', '123456789012-'], ALNUM, 24),
  prefixed('stripe', ['sk', '_live_'], ALNUM, 24),
  prefixed('npm', ['np', 'm_'], ALNUM, 36),
  prefixed('huggingface', ['h', 'f_'], ALNUM, 34),
  prefixed('google api', ['AI', 'za'], ALNUM, 35),
  prefixed('google oauth', ['ya', '29.'], `${ALNUM}_-`, 60),
  prefixed('xai', ['x', 'ai-'], ALNUM, 80),
  prefixed('supabase', ['sb', 'p_'], HEX, 40),
  prefixed('groq', ['gs', 'k_'], ALNUM, 52),
  prefixed('digitalocean', ['dop', '_v1_'], HEX, 64),
  prefixed('vault', ['hv', 's.'], ALNUM, 90),
  {
    kind: 'telegram',
    isSelfEvident: true,
    make: (random) => `${1 + random(9)}${letters(random, DIGITS, 8)}:AA${letters(random, ALNUM, 33)}`,
  },
  {
    kind: 'sendgrid',
    isSelfEvident: true,
    make: (random) => ['S', 'G.', letters(random, ALNUM, 22), '.', letters(random, ALNUM, 43)].join(''),
  },
  {
    kind: 'discord webhook',
    isSelfEvident: true,
    make: (random) => `https://discord.com/api/webhooks/1${letters(random, DIGITS, 17)}/${letters(random, ALNUM, 68)}`,
  },
  {
    kind: 'web token',
    isSelfEvident: true,
    make: (random) =>
      [
        base64url({ alg: 'HS256', typ: 'JWT' }),
        base64url({ sub: letters(random, DIGITS, 10) }),
        letters(random, ALNUM, 43),
      ].join('.'),
  },
  named('password', (random) => `${letters(random, LOWER, 5)}${random(10)}!${letters(random, ALNUM, 4)}#${random(10)}`),
  named('api_key', (random) => letters(random, HEX, 32)),
  named('client_secret', (random) => letters(random, ALNUM, 40)),
  named('auth_token', (random) => `${letters(random, `${LOWER}${DIGITS}`, 39)}7q`),
  named('aws_secret_access_key', (random) => `${letters(random, ALNUM, 20)}k7/Z${letters(random, BASE64, 15)}a`),
]

interface Context {
  readonly name: string
  readonly write: (secret: string, name: string) => string
}

/** Where secrets turn up in a session: files, commands, logs, pages. */
export const contexts: readonly Context[] = [
  { name: 'JSON', write: (secret, name) => JSON.stringify({ user: 'someone', [name]: secret, port: 8080 }) },
  { name: 'JSON in JSON', write: (secret, name) => JSON.stringify({ body: JSON.stringify({ [name]: secret }) }) },
  { name: 'YAML', write: (secret, name) => `service:\n  ${name}: "${secret}"\n  port: 8080\n` },
  { name: 'env file', write: (secret, name) => `PORT=8080\n${name.toUpperCase()}=${secret}\nDEBUG=true\n` },
  { name: 'shell', write: (secret, name) => `export ${name.toUpperCase()}='${secret}' && npm run deploy` },
  { name: 'flag', write: (secret, name) => `deploy --${name.replaceAll('_', '-')} ${secret} --region eu-west-1` },
  { name: 'source', write: (secret, name) => `const ${name} = '${secret}' // from the console\n` },
  { name: 'diff', write: (secret, name) => `@@ -1,2 +1,2 @@\n-${name}: old\n+${name}: "${secret}"\n` },
  { name: 'header', write: (secret, name) => `GET /v1/items HTTP/1.1\nX-${name.replaceAll('_', '-')}: ${secret}\n` },
  {
    name: 'query',
    write: (secret, name) => `GET https://api.example.com/v1?page=2&${name}=${encodeURIComponent(secret)} 200`,
  },
  { name: 'log', write: (secret, name) => `2026-01-02T03:04:05Z DEBUG client ${name}=${secret} attempt=1` },
  { name: 'XML', write: (secret, name) => `<config>\n  <${name}>${secret}</${name}>\n</config>` },
  { name: 'Markdown', write: (secret, name) => `Set the ${name} to:\n\n    ${name} = "${secret}"\n\nand restart.` },
  {
    name: 'terminal',
    write: (secret, name) => `\u001b[32m${name}\u001b[0m: \u001b[1m${secret}\u001b[0m`,
  },
]

function pem(random: Random): string {
  const lines = Array.from({ length: 6 }, () => letters(random, BASE64, 64))
  const armour = ['RSA', 'PRIVATE', 'KEY'].join(' ')
  return [`-----BEGIN ${armour}-----`, ...lines, `-----END ${armour}-----`].join('\n')
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, '  ')
}

export interface Planted {
  readonly kind: string
  readonly context: string
  readonly secret: string
  readonly text: string
}

/** What can only stand in one way: keys in armour, logins in addresses, authorization headers. */
export function plantStructures(seed: number): Planted[] {
  const random = seeded(seed)
  const password = `${letters(random, ALNUM, 10)}7xK`
  const key = pem(random)
  const body = key.split('\n').slice(1, -1).join('\n')
  const token = letters(random, ALNUM, 40)
  const basic = Buffer.from(`someone:${password}`).toString('base64')
  const one = (kind: string, context: string, secret: string, text: string): Planted => ({
    kind,
    context,
    secret,
    text,
  })
  return [
    one('private key', 'file', body, `here it is:\n${key}\nthanks`),
    one('private key', 'JSON', body.replaceAll('\n', '\\n'), JSON.stringify({ key })),
    one('private key', 'cut off', body, key.slice(0, key.lastIndexOf('\n'))),
    one('private key', 'end only', body.split('\n').slice(1).join('\n'), key.split('\n').slice(2).join('\n')),
    one('private key', 'YAML', indented(body), `tls:\n  key: |\n${indented(key)}\n`),
    one('login', 'database', password, `DATABASE_URL=postgres://app:${password}@db.internal:5432/app`),
    one('login', 'web', password, `git clone https://someone:${password}@git.internal/project.git`),
    one('bearer', 'command', token, `curl -H "Authorization: Bearer ${token}" https://api.example.com`),
    one('bearer', 'bare', token, `the header was Bearer ${token} and it failed`),
    one('basic', 'header', basic, `Authorization: Basic ${basic}`),
    one('password', 'curl', password, `curl -u someone:${password} https://api.example.com`),
    one('password', 'mysql', password, `mysql -h db -u app -p${password} app < dump.sql`),
    one('wrapped', 'YAML', indented(body), `signing_key: |\n${indented(body)}\n`),
  ]
}

/** The whole corpus: every kind in every context. */
export function plantSecrets(seed: number): Planted[] {
  const random = seeded(seed)
  const planted = secretKinds.flatMap(({ kind, isSelfEvident, make }) =>
    contexts.map(({ name, write }) => {
      const secret = make(random)
      return { kind, context: name, secret, text: write(secret, isSelfEvident ? 'value' : kind) }
    }),
  )
  return [...planted, ...plantStructures(seed)]
}

/** Half of a secret, in one piece, is as good as all of it. */
export function survives(secret: string, output: string): boolean {
  const size = Math.max(6, Math.floor(secret.length / 2))
  if (secret.length <= size) return output.includes(secret)
  for (let start = 0; start + size <= secret.length; start += 1)
    if (output.includes(secret.slice(start, start + size))) return true
  return false
}

/** Lines as agents read and write all day, none of them secret. */
export function benignLines(seed: number, count: number): string[] {
  const random = seeded(seed)
  const hex = (length: number): string => letters(random, HEX, length)
  const word = (): string => ['token', 'session', 'recovery', 'key', 'redaction', 'store', 'auth'][random(7)] ?? 'word'
  const uuid = (): string => [hex(8), hex(4), `4${hex(3)}`, `a${hex(3)}`, hex(12)].join('-')
  const makers: readonly (() => string)[] = [
    () => `commit ${hex(40)}`,
    () => `${hex(7)} Handle ${word()} refresh in src/${word()}/${word()}-handling.ts`,
    () => `index ${hex(7)}..${hex(7)} 100644`,
    () => `/home/user/projects/app/src/${word()}/${word()}/${word()}-handling.test.ts:${random(400)}:${random(80)}`,
    () => `      "integrity": "sha512-${letters(random, BASE64, 86)}==",`,
    () => `  resolution: {integrity: sha512-${letters(random, BASE64, 86)}==}`,
    () => `golang.org/x/text v0.3.${random(9)} h1:${letters(random, BASE64, 43)}=`,
    () => `{"session_id":"${uuid()}","cwd":"/home/user/app","hook_event_name":"PreToolUse"}`,
    () => `"tool_use_id": "toolu_01${letters(random, ALNUM, 22)}",`,
    () => `sha256:${hex(64)}`,
    () => `export function read${word()}(${word()}: string): Promise<string | undefined> {`,
    () => `  password: string`,
    () => `  const apiKey = process.env.API_KEY ?? config.apiKey`,
    () => `    token = await this.tokens.refresh(request.headers.authorization)`,
    () => `DB_PASSWORD=\${DB_PASSWORD:-changeme}`,
    () => `api_key: <your-api-key>`,
    () => `--- PASS: Test${word()}Handling/refreshes_${word()} (0.0${random(9)}s)`,
    () => `input tokens: ${random(200_000)}, output tokens: ${random(8_000)}, max_tokens=4096`,
    () => `PRIMARY KEY (${word()}_id), FOREIGN KEY (session_key) REFERENCES sessions(session_key)`,
    () => `<div key={item.id} className="token-list" data-key="${word()}-${random(99)}">`,
    () => `The ${word()} handling is broken: the token is not refreshed when the key expires.`,
    () => `cache key: linux-node-${random(30)}-${hex(64)}`,
    () => `data:image/png;base64,${letters(random, BASE64, 120)}`,
    () => `http://localhost:${3000 + random(999)}/auth/callback?state=login&session=${uuid()}`,
  ]
  return Array.from({ length: count }, (_, index) => makers[index % makers.length]?.() ?? '')
}
