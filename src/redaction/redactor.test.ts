import { describe, expect, test } from 'vitest'
import { createRedactor } from './redactor.ts'

const redactor = createRedactor()

/** Joined here, so that no scanner takes this file for a leak. */
const joined = (...pieces: readonly string[]): string => pieces.join('')

const githubToken = joined('gh', 'p_', 'a8Kd02mQx7Lr5Tz9Wc3Vb6Nf1Jh4Gs0Yp2Ue')
const anthropicKey = joined('sk-', 'ant-', 'api03-', 'Qm7xT2vLb9Zr4Kp8Wd1Yc6Nh3Js5Fg0Ae')

const RANDOM = 'aQ9xZk3P0vLm8Rt2WyB7'

describe('secrets are removed', () => {
  test.each([
    ['an Anthropic key', `use ${anthropicKey} please`, 'use [REDACTED:anthropic-key] please'],
    [
      'a GitHub token',
      `git push https://${githubToken}@github.com`,
      'git push https://[REDACTED:github-token]@github.com',
    ],
    ['an AWS key id', `id ${joined('AK', 'IA', 'Q3XV7MJ2TN5WPL4K')}.`, 'id [REDACTED:aws-access-key].'],
    ['a Slack token', `token ${joined('xo', 'xb-', '2894710563-4Kd02mQx7Lr5Tz9')}`, 'token [REDACTED:slack-token]'],
    [
      'a Google key',
      `key=${joined('AI', 'za', 'Sy4Kd02mQx7Lr5Tz9Wc3Vb6Nf1Jh4Gs0Yp2')}`,
      'key=[REDACTED:google-api-key]',
    ],
    ['a password in a URL', 'postgres://app:k3Yq9vTz@db:5432/app', 'postgres://[REDACTED:connection]/app'],
    ['a login for the web', 'https://ci:k3Yq9vTz@git.internal/x.git', 'https://[REDACTED:login]@git.internal/x.git'],
    ['a JSON password', '{"password": "hunter2"}', '{"password": "[REDACTED:password]"}'],
    ['a YAML password', 'password: hunter2', 'password: [REDACTED:password]'],
    ['a password of words and digits', 'password=hunter2hunter2', 'password=[REDACTED:password]'],
    ['the same in YAML', 'pwd: hunter2hunter2', 'pwd: [REDACTED:password]'],
    ['the same among arguments', 'connect(passwd=hunter2hunter2, db=d)', 'connect(passwd=[REDACTED:password], db=d)'],
    ['a password of letters in its own line', 'a\n  password=letmein\nb', 'a\n  password=[REDACTED:password]\nb'],
    ['one of several words', 'db.password=correct-horse-battery', 'db.password=[REDACTED:password]'],
    ['a field of a form', 'user=bob&password=letmein&go=1', 'user=bob&password=[REDACTED:password]&go=1'],
    ['a secret of words and digits', 'client_secret=hunter2hunter2', 'client_secret=[REDACTED:secret]'],
    [
      'one with a sign in it, in prose',
      'the password is Tr0ub4dor&VZomHF(wU)9.',
      'the password is [REDACTED:password]',
    ],
    ['the same in an env file', 'a\nDB_PASSWORD=Tr0ub4dor&VZomHFwU\nb', 'a\nDB_PASSWORD=[REDACTED:password]\nb'],
    [
      'the same as an option',
      'mysql -u root --password=Tr0ub4dor&VZ x',
      'mysql -u root --password=[REDACTED:password] x',
    ],
    [
      'one with spaces, as an option',
      `mysql --password='S3cr3t Pa55 w0rd' x`,
      `mysql --password='[REDACTED:password]' x`,
    ],
    ['the same in a variable', 'DB_PASSWORD="c0rrect horse staple"', 'DB_PASSWORD="[REDACTED:password]"'],
    ['one before another command', 'PASSWORD=k3Yq9vTz&& npm test', 'PASSWORD=[REDACTED:password]&& npm test'],
    ['a password in prose', 'the password is hunter2.', 'the password is [REDACTED:password]'],
    ['an env line', 'DB_PASSWORD=correct,horse', 'DB_PASSWORD=[REDACTED:password]'],
    ['a flag', 'deploy --password hunter2 --force', 'deploy --password [REDACTED:password] --force'],
    ['a MySQL flag', 'mysql -uroot -phunter2 app', 'mysql -uroot -p[REDACTED:password] app'],
    [
      'a file of logins',
      'machine a.example login me\n  password k3Yq9vTz',
      'machine a.example login me\n  password [REDACTED:password]',
    ],
    ['a login to a registry', 'docker login -u me -p k3Yq9vTz', 'docker login -u me -p [REDACTED:password]'],
    ['a flag of redis', 'redis-cli -h x -a k3Yq9vTz ping', 'redis-cli -h x -a [REDACTED:password] ping'],
    ['a flag of LDAP', 'ldapsearch -D cn=a -w k3Yq9vTz -b x', 'ldapsearch -D cn=a -w [REDACTED:password] -b x'],
    [
      'what is piped to a login',
      'echo k3Yq9vTz | gh auth login --with-token',
      'echo [REDACTED:secret] | gh auth login --with-token',
    ],
    ['a body', 'gh secret set NAME --body "k3Yq9vTz"', 'gh secret set NAME --body "[REDACTED:secret]"'],
    [
      'a literal',
      'kubectl create secret generic a --from-literal=b=k3Yq9vTz',
      'kubectl create secret generic a --from-literal=b=[REDACTED:secret]',
    ],
    ['a token as the user', `https://${RANDOM}@git.internal/a.git`, 'https://[REDACTED:login]@git.internal/a.git'],
    ['a value beside its name', `setx API_TOKEN ${RANDOM}`, 'setx API_TOKEN [REDACTED:secret]'],
    ['a value in a table', `| API_TOKEN | ${RANDOM} |`, '| API_TOKEN | [REDACTED:secret] |'],
    ['the base of keys', `SECRET_KEY_BASE=${RANDOM}`, 'SECRET_KEY_BASE=[REDACTED:secret]'],
    [
      'both halves of a manifest',
      'kind: Secret\ndata:\n  a: c3VwZXJzZWNyZXQ=\nstringData:\n  b: k3Yq9vTz\n',
      'kind: Secret\ndata:\n  a: [REDACTED:secret]\nstringData:\n  b: [REDACTED:secret]\n',
    ],
    [
      'a manifest that begins with its data',
      'data:\n  a: c3VwZXJzZWNyZXQ=\nkind: Secret\n',
      'data:\n  a: [REDACTED:secret]\nkind: Secret\n',
    ],
    [
      'a manifest in JSON',
      '{"kind": "Secret", "data": {"a": "c3VwZXJzZWNyZXQ="}, "metadata": {"name": "something"}}',
      '{"kind": "Secret", "data": {"a": "[REDACTED:secret]"}, "metadata": {"name": "something"}}',
    ],
    ['a Basic header', 'Authorization: Basic dXNlcjpwYXNz', 'Authorization: Basic [REDACTED:basic-auth]'],
    [
      'a bot address',
      `${joined('/bot123456789', ':AA', 'h4Gs0Yp2UeKd02mQx7Lr5Tz9Wc3Vb6Nf1')}/getMe`,
      '/bot[REDACTED:telegram-token]/getMe',
    ],
  ])('%s', (_, text, expected) => {
    expect(redactor.redact(text)).toBe(expected)
  })

  test('a web token, whole and without its signature', () => {
    const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
    const head = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub: '1234567890' })}`
    expect(redactor.redact(`a ${head}.${'k3Yq9vTz'.repeat(5)} b`)).toBe('a [REDACTED:jwt] b')
    expect(redactor.redact(`a ${head} b`)).toBe('a [REDACTED:jwt] b')
  })

  test('a private key, also when it is truncated', () => {
    const armour = (edge: string): string => `-----${edge} ${['RSA', 'PRIVATE', 'KEY'].join(' ')}-----`
    const body = [
      'MIIBOgIBAAJBAKj34GkxFhD90vcNLYLInFEX6Ppy1tPf9Cnzj4p4WGeK',
      'KUpRKfFLfRYC9AIKjbJTWit3CqvjWYzvQwECAwEAAQJAIJLixBy2qpFo',
    ].join('\n')
    expect(redactor.redact(`a\n${armour('BEGIN')}\n${body}\n${armour('END')}\nb`)).toBe('a\n[REDACTED:private-key]\nb')
    expect(redactor.redact(`a\n${armour('BEGIN')}\n${body}\n`)).toBe('a\n[REDACTED:private-key]')
    expect(redactor.redact(`${body}\n${armour('END')}\nb`)).toBe('[REDACTED:private-key]\nb')
  })

  test('a secret that was found is removed everywhere, also without a keyword', () => {
    expect(redactor.redact("token = 'x7Kq92mTzV4bNc' and again x7Kq92mTzV4bNc")).toBe(
      "token = '[REDACTED:secret]' and again [REDACTED:secret]",
    )
  })

  test('after an escape, in a query and in colour, without a space before it', () => {
    for (const before of ['{"out":"done\\n', 'a?next=x%3D', '\u001b[32m'])
      expect(redactor.redact(before + githubToken)).toBe(`${before}[REDACTED:github-token]`)
  })

  test('known values, wherever and however they are written', () => {
    const told = createRedactor({ extraValues: ['p"ss w0rd/1'] })
    expect(told.redact('a p"ss w0rd/1 b p\\"ss w0rd/1 c p%22ss%20w0rd%2F1')).toBe(
      'a [REDACTED:env-value] b [REDACTED:env-value] c [REDACTED:env-value]',
    )
  })
})

describe('text without secrets is returned unchanged', () => {
  test.each([
    'token handling in src/redaction/find/find-assignments.ts:120',
    '/home/user/projects/app/node_modules/.pnpm/registry.npmjs.org+left-pad@1.3.0/index.js',
    '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904',
    '{"session_id":"7f2fbf27-0a44-42e3-94a1-4bfb5b48f071"}',
    '"tool_use_id":"toolu_01Nq7xT2vLb9Zr4Kp8Wd1Yc6"',
    'password: string',
    'const apiKey = process.env.API_KEY',
    'apiKey: config.get("api.key"),',
    'API_KEY=${API_KEY}',
    'api_key: <your-key>',
    'token: "xxxxxxxxxxxxxxxxxxxxxxxx"',
    'PASSWORD=changeme',
    'PASSWORD="at least 8 characters"',
    'password: "a v2-style hint for step1 of the form"',
    'ADMIN_PASSWORD="$(openssl rand -hex 16)"',
    'password = "password"',
    'connect(password=oauth2Token, db=d)',
    'connect(host=h, password=db_password, db=d)',
    '  password=settings.DB_PASS',
    'login(password=letmein)',
    'secret=request.secret2',
    'PASSWORD=$DB_PASSWORD',
    'password=example',
    '--- PASS: TestRefreshesTheToken/when_it_expires (0.00s)',
    'max_tokens: 128000, total tokens: 1234567',
    'primary key: user_account_2024_id_0001',
    'sessionKey: "claude-code-7f2fbf27-0a44-42e3-94a1-4bfb5b48f071"',
    'postgres://postgres:postgres@localhost:5432/test',
    'http://localhost:3000/token/refresh@2x.png',
    'docker run -p 8080:80 mysql',
    '-----BEGIN CERTIFICATE-----\nMIIBOgIBAAJBAKj34GkxFhD90vcNLYLInFEX6Ppy1tPf9Cnzj4p4WGeK\n-----END CERTIFICATE-----',
    'Bearer authentication is described in the README',
    '',
  ])('%j', (text) => {
    expect(redactor.redact(text)).toBe(text)
    expect(redactor.findings(text)).toEqual([])
  })
})

test('findings name each kind once', () => {
  expect(redactor.findings(`${githubToken} and ${anthropicKey} and ${githubToken}`)).toEqual([
    'github-token',
    'anthropic-key',
  ])
})

describe('a text without newlines', () => {
  // Each of these was reread from its start for every match: minutes for a megabyte.
  test.each([
    ['password=swordfish\r', 'password=[REDACTED:password]\r'],
    ['-----END PRIVATE KEY----- ', '-----END PRIVATE KEY----- '],
  ])('of nothing but %j is read once', (unit, clean) => {
    const times = Math.ceil(2_000_000 / unit.length)
    expect(createRedactor().redact(unit.repeat(times)) === clean.repeat(times)).toBe(true)
  })

  test('with carriage returns alone: each ends a line', () => {
    expect(createRedactor().redact('user=me\rpassword=swordfish\rport=1')).toBe(
      'user=me\rpassword=[REDACTED:password]\rport=1',
    )
  })
})

describe('text that only looks similar stays', () => {
  test.each([
    'kubectl create configmap a --from-literal=mode=production',
    'set API_TOKEN environment variable before you start',
    'docker run -p 8080:80 image',
    'echo hello | grep world',
    'https://someone@git.internal/a.git',
    'kind: ConfigMap\ndata:\n  a: c29tZXRoaW5nIGVsc2U=\n',
    'login with your password please',
    'redis-cli -h cache.internal ping',
  ])('%s', (text) => {
    expect(redactor.redact(text)).toBe(text)
  })
})

test('a private key shown with line numbers, truncated, is removed', () => {
  const begin = `-----BEGIN ${['RSA', 'PRIVATE', 'KEY'].join(' ')}-----`
  const line = 'MIIEowIBAAKCAQEA0Z3VS5JJcds3xfn'
  for (const mark of ['→', '\t', ':', '|'])
    expect(redactor.redact(`     1${mark}${begin}\n     2${mark}${line}\n    13${mark}${line}\n`)).not.toContain(line)
  expect(redactor.redact(`+${begin}\n+${line}\n+${line}\n`)).not.toContain(line)
})
