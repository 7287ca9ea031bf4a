export interface HostileText {
  readonly name: string
  readonly make: (chars: number) => string
}

function repeated(unit: string): (chars: number) => string {
  return (chars) => unit.repeat(Math.ceil(chars / unit.length)).slice(0, chars)
}

/** Texts that each lead one part of the engine as far as it will go without giving it a secret. */
export const hostileTexts: readonly HostileText[] = [
  { name: 'one letter', make: repeated('a') },
  { name: 'one digit', make: repeated('1') },
  { name: 'prose', make: repeated('the quick brown fox jumps over the lazy dog. ') },
  { name: 'source code', make: repeated('  const token = await readToken(request.headers.authorization)\n') },
  { name: 'names and no values', make: repeated('password token secret key ') },
  { name: 'names joined', make: repeated('key=') },
  { name: 'names in a chain', make: repeated('passwordtokensecretkey') },
  { name: 'assignments of words', make: repeated('token = word, ') },
  { name: 'open quotes', make: repeated('token="') },
  { name: 'names of one word', make: repeated('keykey') },
  { name: 'names and words', make: repeated('password: hello world\n') },
  { name: 'escaped quotes', make: repeated('\\"token\\": \\"') },
  { name: 'backslashes', make: repeated('\\') },
  { name: 'quotes', make: repeated('"') },
  { name: 'JSON without spaces', make: repeated('{"key":"value","token":12,"path":"/a/b"},') },
  { name: 'beginnings of keys', make: repeated('sk-') },
  { name: 'short keys', make: repeated('ghp_abcdefgh ') },
  { name: 'web token beginnings', make: repeated('eyJ-') },
  { name: 'web token parts', make: repeated('eyJa.') },
  { name: 'schemes', make: repeated('://') },
  { name: 'addresses', make: repeated('http://user:') },
  { name: 'at signs', make: (chars) => `http://a:${'@'.repeat(chars - 9)}` },
  { name: 'key beginnings', make: repeated('-----BEGIN PRIVATE KEY-----\n') },
  { name: 'key ends', make: repeated('-----END PRIVATE KEY-----\n') },
  { name: 'key ends in one line', make: repeated('-----END PRIVATE KEY----- ') },
  { name: 'passwords and key beginnings', make: repeated('password: -----BEGIN RSA PRIVATE KEY-----\n') },
  { name: 'key beginnings and words', make: repeated(`-----BEGIN PRIVATE KEY-----${'QUJD'.repeat(12)}\n`) },
  { name: 'passwords and carriage returns', make: repeated('host=db.internal\rpassword=zzzz\r') },
  { name: 'statements without a value', make: repeated('password is\n') },
  { name: 'base64 lines', make: repeated(`${'QUJD'.repeat(16)}\n`) },
  { name: 'hex', make: repeated('0123456789abcdef') },
  { name: 'bearers', make: repeated('bearer ') },
  { name: 'elements', make: repeated('<secret>') },
  { name: 'block scalars', make: repeated('token: |\n  aaaaaaaaaaaaaaaaaaaa\n') },
  {
    name: 'blocks that do not open',
    make: (chars) => repeated('  aaaaaaaaaaaaaaaaaaaa\n')(chars / 16) + repeated('token: |x ')((chars / 16) * 15),
  },
  { name: 'commands', make: repeated('mysql -u root ') },
  { name: 'words of a wallet', make: repeated('mnemonic: each word here ') },
  { name: 'files of passwords', make: repeated('a:5432:b:c:') },
  { name: 'logins', make: repeated('user: a\npassword: ') },
  { name: 'signatures', make: repeated('&sig=abc Signature=') },
  { name: 'web keys', make: repeated('"kty":"d":"') },
  { name: 'flags', make: repeated('--token --password ') },
  { name: 'blanks', make: repeated(' ') },
  { name: 'newlines', make: repeated('\n') },
  { name: 'NULs', make: repeated('\0') },
  { name: 'lone surrogates', make: repeated('\ud800') },
  { name: 'marks', make: repeated('token=[REDACTED:secret] ') },
]

/** A name in every few characters, of the kinds that take the longest to judge; in some of them a value that counts as a secret. */
export const denseTexts: readonly HostileText[] = [
  { name: 'cookies', make: repeated('cookie: a=b; ') },
  { name: 'commands and open quotes', make: repeated(`curl -u "a zip -P 'b `) },
  { name: 'escaped newlines', make: repeated('token\\n') },
  { name: 'manifests', make: repeated('kind: Secret\ndata:\n  a: b\n') },
  { name: 'manifests in JSON', make: repeated('"kind": "Secret", "data": {') },
  { name: 'fields named by another', make: repeated('"name": "token", "valu": "') },
  { name: 'attributes', make: repeated('<add key="password" valu="') },
  { name: 'notes', make: repeated('word2 = the password for ') },
  { name: 'settings', make: repeated('host=a password=b ') },
  { name: 'statements', make: repeated('password for the a ') },
]

/** Not hostile, only unlucky: a secret in every few characters, each of them found, judged and replaced, and the result read again. */
export const manySecrets: readonly HostileText[] = [
  { name: 'a secret in every line', make: repeated(`token=${'x9K2'.repeat(5)}q7\n`) },
  { name: 'a password in every object', make: repeated('{"password":"hunter22"},') },
  { name: 'a login in every word', make: repeated('http://a:s3cretx@b ') },
  { name: 'a flag in every word', make: repeated('curl -u a:') },
]
