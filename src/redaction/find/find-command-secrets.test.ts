import { describe, expect, test } from 'vitest'
import { createRedactor } from '../redactor.ts'

const redactor = createRedactor()

describe('a password in a program-specific flag is removed, and the flag of the next command is not', () => {
  test.each([
    ['mysql -u root -pswordfish app', 'mysql -u root -p[REDACTED:password] app', 'mysql -u root -p app'],
    ["mysqldump -p'k3Yq 9vTz' a", "mysqldump -p'[REDACTED:password]' a", 'mysqldump -p$PASS a'],
    ['7z a -pswordfish out.7z dir', '7z a -p[REDACTED:password] out.7z dir', '7z x a.7z -oOut'],
    ['unrar x -pswordfish a.rar', 'unrar x -p[REDACTED:password] a.rar', 'unrar p a.rar'],
    ['rar a -hpswordfish a.rar d', 'rar a -hp[REDACTED:password] a.rar d', 'rar a a.rar d'],
    ['zip -r -P swordfish out.zip a', 'zip -r -P [REDACTED:password] out.zip a', 'zip -r out.zip a'],
    ['unzip -qP swordfish a.zip', 'unzip -qP [REDACTED:password] a.zip', 'unzip -p a.zip swordfish'],
    ['sshpass -p swordfish ssh h', 'sshpass -p [REDACTED:password] ssh h', 'sshpass -e ssh h'],
    ['curl -u me:swordfish https://a', 'curl -u me:[REDACTED:password] https://a', 'curl -u user:password https://a'],
    ['curl -sS -ume:swordfish https://a', 'curl -sS -ume:[REDACTED:password] https://a', 'curl -sSfL https://a'],
    ['curl -u "x7Kq92mTzV4b:" https://a', 'curl -u "[REDACTED:login]:" https://a', 'curl -u "someone:" https://a'],
    ['http -a me:swordfish https://a', 'http -a me:[REDACTED:password] https://a', 'http GET https://a'],
    ['redis-cli -a swordfish ping', 'redis-cli -a [REDACTED:password] ping', 'redis-cli -a $PASS ping'],
    ['mongosh -u me -p swordfish', 'mongosh -u me -p [REDACTED:password]', 'mongosh -u me -p --quiet'],
    [
      'openssl enc -k swordfish -in a',
      'openssl enc -k [REDACTED:password] -in a',
      'openssl enc -kfile a -in swordfish',
    ],
    [
      'openssl rsa -passin pass:swordfish -in a',
      'openssl rsa -passin pass:[REDACTED:password] -in a',
      'openssl rsa -passin env:SWORDFISH -in a',
    ],
    ['keytool -storepass swordfish', 'keytool -storepass [REDACTED:password]', 'keytool -list -keystore swordfish'],
    ['ssh-keygen -N swordfish -f k', 'ssh-keygen -N [REDACTED:password] -f k', 'ssh-keygen -N "" -f swordfish'],
    ['smbclient //h/s -U me%swordfish', 'smbclient //h/s -U me%[REDACTED:password]', 'smbclient //h/s -U me'],
    ['lftp -u me,swordfish h', 'lftp -u me,[REDACTED:password] h', 'lftp -u me h'],
    ['docker login -u me -p swordfish', 'docker login -u me -p [REDACTED:password]', 'docker run -p swordfish a'],
    ['vault kv put a/b c=swordfish', 'vault kv put a/b c=[REDACTED:password]', 'vault kv get a/b c=swordfish'],
    ['fly secrets set A=swordfish', 'fly secrets set A=[REDACTED:password]', 'fly secrets list A=swordfish'],
    ['mysql \\\n  -pswordfish a', 'mysql \\\n  -p[REDACTED:password] a', 'mysql a; ls -pswordfish'],
    ['x=$(mysql -pswordfish)', 'x=$(mysql -p[REDACTED:password])', 'x=$(ls -pswordfish)'],
    ['`mysql -pswordfish`', '`mysql -p[REDACTED:password]`', '`mysqlshow -p`'],
  ])('%s', (text, clean, harmless) => {
    expect(redactor.redact(text)).toBe(clean)
    expect(redactor.redact(harmless)).toBe(harmless)
  })
})

describe('the command is recognized', () => {
  test.each([
    [
      'in JSON',
      '{"out":"ok\\nmysql -uroot -pswordfish\\nok"}',
      '{"out":"ok\\nmysql -uroot -p[REDACTED:password]\\nok"}',
    ],
    [
      'in JSON within JSON, in quotes',
      JSON.stringify({ a: JSON.stringify({ b: 'curl -u "me:swordfish" h' }) }),
      JSON.stringify({ a: JSON.stringify({ b: 'curl -u "me:[REDACTED:password]" h' }) }),
    ],
    ['in a line that was taken out', '-mysql -pswordfish\n', '-mysql -p[REDACTED:password]\n'],
    ['by its path', '/usr/bin/zip -P swordfish a', '/usr/bin/zip -P [REDACTED:password] a'],
    [
      'behind another',
      'sshpass -p swordfish mysql -pfishsword',
      'sshpass -p [REDACTED:password] mysql -p[REDACTED:password]',
    ],
    [
      'behind another, by its path',
      'sshpass -p swordfish /usr/bin/zip -P fishsword a',
      'sshpass -p [REDACTED:password] /usr/bin/zip -P [REDACTED:password] a',
    ],
  ])('%s', (_, text, clean) => {
    expect(redactor.redact(text)).toBe(clean)
  })
})

describe('a megabyte of one repeated pattern is read once', () => {
  test.each(['mysql ', 'mysql "', "mysql -p'", 'zip -P \\"', 'curl -u a:', 'openssl\\\n', 'vault kv put '])(
    '%j',
    (unit) => {
      const text = unit.repeat(Math.ceil(1_000_000 / unit.length))
      expect(createRedactor().redact(text).length).toBeGreaterThan(0)
    },
  )
})
