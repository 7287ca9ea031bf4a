import { describe, expect, test } from 'vitest'
import { createRedactor } from '../redactor.ts'

const redactor = createRedactor()
/** Joined here, so that no scanner takes this file for a leak. */
const joined = (...pieces: readonly string[]): string => pieces.join('')

const HEX = '0f8e2d7c9b1a4e6d3c5f7a9b2d4e6f80'
const LOGIN = Buffer.from('someone:k3Yq9vTz').toString('base64')
const COORDINATE = 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU'
const SECRET_PART = 'jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI'

describe('a secret recognized by its line or field, and text that only looks similar', () => {
  test.each([
    [
      'db.internal:5432:a:me:swordfish',
      'db.internal:5432:a:me:[REDACTED:password]',
      'src/db.ts:5432:12:error:swordfish',
    ],
    ['*:*:*:me:k3Yq9\\:vTz', '*:*:*:me:[REDACTED:password]', 'arn:aws:logs:*:*:log-group:k3Yq9vTz'],
    [
      'machine a.example password swordfish',
      'machine a.example password [REDACTED:password]',
      'machine learning login page password swordfish',
    ],
    [
      'user: me\npassword: swordfish\n',
      'user: me\npassword: [REDACTED:password]\n',
      'user: varchar\npassword: varchar\n',
    ],
    [
      '[pypi]\nusername = me\npassword = swordfish',
      '[pypi]\nusername = me\npassword = [REDACTED:password]',
      'username = args.user\npassword = args.swordfish',
    ],
    ['creds: me / k3Yq9vTz7', 'creds: me / [REDACTED:password]', 'creds: see docs/login.md'],
    ['me:swordfish@tcp(db:3306)/a', 'me:[REDACTED:password]@tcp(db:3306)/a', 'me:$SWORDFISH@tcp(db:3306)/a'],
    [
      'jdbc:oracle:thin:me/swordfish@db',
      'jdbc:oracle:thin:me/[REDACTED:password]@db',
      'jdbc:oracle:thin:@db/swordfish',
    ],
    ['requirepass swordfish', 'requirepass [REDACTED:password]', 'requirepass in the settings'],
    [
      "CREATE USER a IDENTIFIED BY 'swordfish'",
      "CREATE USER a IDENTIFIED BY '[REDACTED:password]'",
      "a library identified by 'swordfish'",
    ],
    [
      "ALTER ROLE a WITH PASSWORD 'swordfish'",
      "ALTER ROLE a WITH PASSWORD '[REDACTED:password]'",
      "SET PASSWORD_POLICY = 'swordfish'",
    ],
    [
      `{"auths":{"a":{"auth":"${LOGIN}"}}}`,
      '{"auths":{"a":{"auth":"[REDACTED:basic-auth]"}}}',
      '{"auth":"c29tZXRoaW5n"}',
    ],
    [
      'echo "me:swordfish" | sudo chpasswd',
      'echo "[REDACTED:secret]" | sudo chpasswd',
      'echo "me:swordfish" | cut -d: -f1',
    ],
    ['echo swordfish | sudo -S ls', 'echo [REDACTED:secret] | sudo -S ls', 'echo swordfish | sudo tee a'],
    [
      'gh auth login --with-token <<< swordfish',
      'gh auth login --with-token <<< [REDACTED:secret]',
      'cat <<< swordfish',
    ],
    [
      'otpauth://totp/A?secret=KVKFKRCPNZQUYMLX&b=c',
      'otpauth://totp/A?secret=[REDACTED:otp-secret]&b=c',
      'otpauth://totp/A?issuer=KVKFKRCPNZQUYMLX',
    ],
    [
      `{"kty":"EC","x":"${COORDINATE}","d":"${SECRET_PART}"}`,
      `{"kty":"EC","x":"${COORDINATE}","d":"[REDACTED:private-key]"}`,
      `{"kty":"EC","x":"${COORDINATE}"}`,
    ],
    [
      'https://chat.internal/hooks/k3yq9vtz7mwx2b4n6c8v0q1w2e',
      'https://chat.internal/hooks/[REDACTED:webhook]',
      'https://a.internal/hooks/usepersistentlocalstorages',
    ],
    [`Digest a="b", response="${HEX}"`, 'Digest a="b", response="[REDACTED:signature]"', `response = "${HEX}"`],
    [`X-Amz-Signature=${HEX}${HEX}`, 'X-Amz-Signature=[REDACTED:signature]', 'const signature=sign(payload)'],
    [
      `me:${joined('$2', 'y$05$', 'aQ9xZk3P0vLm8Rt2WyB7Hd5Jf1Gc6Ns4Xe7Uq0KzabcdefGhIjk12')}`,
      'me:[REDACTED:password-hash]',
      'awk "{print $1, $2}"',
    ],
  ])('%s', (text, clean, harmless) => {
    expect(redactor.redact(text)).toBe(clean)
    expect(redactor.redact(clean)).toBe(clean)
    expect(redactor.redact(harmless)).toBe(harmless)
  })
})
