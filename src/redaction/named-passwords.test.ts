import { describe, expect, test } from 'vitest'
import {
  type ValueKind,
  isLeft,
  namedPasswords,
  passwordsInEveryContext,
  plainKinds,
  symbolKinds,
} from '../../test/support/named-passwords.ts'
import { createRedactor } from './redactor.ts'

const redactor = createRedactor()
const COUNT = 400

function left(seed: number, kinds: readonly ValueKind[], redact: (text: string) => string) {
  return namedPasswords(seed, COUNT, kinds).filter((password) => isLeft(password, redact(password.text)))
}

// Random letters are sometimes readable, and then stay: fixed seeds keep that from failing a build.
const seeds = [3, 20_260_117]

describe('of 400 passwords after a name', () => {
  test.each(seeds)('at most 4 of letters and digits are left (seed %i)', (seed) => {
    expect(left(seed, plainKinds, (text) => redactor.redact(text)).slice(4)).toEqual([])
  })

  test.each(seeds)('at most 12 with symbols are left (seed %i)', (seed) => {
    expect(left(seed, symbolKinds, (text) => redactor.redact(text)).slice(12)).toEqual([])
  })

  test('all are left by a redactor that does nothing', () => {
    const isHidden = /Proxy-Authorization/
    for (const kinds of [plainKinds, symbolKinds]) {
      const shown = namedPasswords(3, COUNT, kinds).filter(({ text }) => !isHidden.test(text))
      expect(shown.filter((password) => !isLeft(password, password.text))).toEqual([])
    }
  })
})

describe('no context', () => {
  const kinds = [...plainKinds, ...symbolKinds.filter(({ isDense }) => !isDense)]

  test.each(kinds)('leaves more than 4 of 20: $name', (kind) => {
    const counts = new Map<string, number>()
    for (const password of passwordsInEveryContext(5, 20, kind))
      if (isLeft(password, redactor.redact(password.text)))
        counts.set(password.context, (counts.get(password.context) ?? 0) + 1)
    expect([...counts].filter(([, count]) => count > 4)).toEqual([])
  })
})

describe('values that earlier versions missed', () => {
  test.each([
    ['spring.datasource.password=vpaOTkooPDMN', 'spring.datasource.password=[REDACTED:password]'],
    ['app --password=UkbLiVdPbjKt', 'app --password=[REDACTED:password]'],
    ['X-Api-Key: ltfstijx0avc', 'X-Api-Key: [REDACTED:secret]'],
    ['DB_PASSWORD=8h8&DS^Uxg', 'DB_PASSWORD=[REDACTED:password]'],
    ['https://bob:sA0P6jcb#W@x', 'https://[REDACTED:login]@x'],
    ['https://bob:sA0/P6?cb#W@git.internal/a@2x.png', 'https://[REDACTED:login]@git.internal/a@2x.png'],
    ['user.setPassword("UkbLiVdPbjKt");', 'user.setPassword("[REDACTED:password]");'],
    ["password = env.PASSWORD || 'UkbLiVdPbjKt'", "password = env.PASSWORD || '[REDACTED:password]'"],
    ['let password: &str = "UkbLiVdPbjKt";', 'let password: &str = "[REDACTED:password]";'],
    [
      'variable "db_password" {\n  default = "aB3xK9"\n}',
      'variable "db_password" {\n  default = "[REDACTED:password]"\n}',
    ],
    ['net user bob aB3xK9pq /add', 'net user bob [REDACTED:password] /add'],
    ['htpasswd -cb .htpasswd bob swordfish', 'htpasswd -cb .htpasswd bob [REDACTED:password]'],
    ['ConvertTo-SecureString "aB3xK9pq" -Force', 'ConvertTo-SecureString "[REDACTED:password]" -Force'],
    ['new NetworkCredential("bob", "aB3xK9pq")', 'new NetworkCredential("bob", "[REDACTED:password]")'],
    ['| admin password | UkbLiVdPbjKt |', '| admin password | [REDACTED:password] |'],
    ['Kennwort: UkbLiVdPbjKt', 'Kennwort: [REDACTED:password]'],
    ['mot de passe : UkbLiVdPbjKt', 'mot de passe : [REDACTED:password]'],
    ['contraseña: UkbLiVdPbjKt', 'contraseña: [REDACTED:password]'],
    ['login bob pw UkbLiVdPbjKt', 'login bob pw [REDACTED:secret]'],
    ['secrets = { conn = "UkbLiVdPbjKt" }', 'secrets = { conn = "[REDACTED:secret]" }'],
    ['secrets:\n  conn: UkbLiVdPbjKt\nport: 1', 'secrets:\n  conn: [REDACTED:secret]\nport: 1'],
    ['mysql -pk3Y&q9vTz db', 'mysql -p[REDACTED:password] db'],
    ['password="$kX9!vbQz#"', 'password="[REDACTED:password]"'],
  ])('is gone: %s', (text, clean) => {
    expect(redactor.redact(text)).toBe(clean)
    expect(redactor.redact(clean)).toBe(clean)
  })
})

describe('code and words stay', () => {
  test.each([
    'password=user.password',
    'the password: swordfish is an example of prose',
    'password = getPassword()',
    'const password = await promptForPassword("Password of the account: ")',
    'password: string',
    'password?: string | undefined',
    'PASSWORD=${DB_PASSWORD}',
    'PASSWORD=$DB_PASSWORD make deploy',
    'docker login --password-stdin',
    'passwordField.value = currentPasswordField',
    'token: parseToken',
    'apiKey: process.env.API_KEY',
    'api_key = os.environ["API_KEY"]',
    'password: <your-password>',
    'password: changeme',
    'token: xxxxxxxxxxxx',
    'password=%DB_PASSWORD%',
    'password: {type: String, minlength: 8}',
    'password: [required, minLength(8)],',
    'password=(props)=>validate(props.password)',
    'token=tokens[index+1]',
    'const passwordPattern = /^(?=.*[A-Z])(?=.*\\d)[A-Za-z\\d]{8,}$/',
    'passwordHash: await bcrypt.hash(password,saltRounds)',
    'secret: crypto.randomBytes(32).toString("hex")',
    'if (password.equals(confirmPassword)) {',
    'if (password.equals("confirmation")) {',
    'getSecret("database/credentials")',
    'new InjectionToken("APP_CONFIG")',
    'token = lexer.nextToken() || "identifier"',
    'password: passwordController.text,',
    'apiKeyHeaderName: X-Api-Key',
    'Authorization: AWS4-HMAC-SHA256',
    'X-Auth-Token: sessionTokenFromLoginResponse',
    'password=a&&b',
    'http://localhost:3000/token/refresh@2x.png',
    'https://registry.internal:5000/team/image@sha256',
    'git+https://github.com:organisation/repository.git@v1.2.3',
    'net user retention improved last quarter',
    '<password>string</password>',
    'pw: "^1.40.0"',
    'const pw = await playwright.chromium.launch()',
    'the enclave: attestation',
    'all tests pass 4b825dc642 and later',
    'passes: everything2Check',
    'square-token (sq0atp-)',
    'the token (see A1-b2c3) is old',
    'secrets: { file: ./secrets/database.txt, mode: "0440" }',
    'tokens: { input: 12345, output: 678 }',
  ])('%s', (text) => {
    expect(redactor.redact(text)).toBe(text)
  })
})
