import { describe, expect, test } from 'vitest'
import { createRedactor } from './redactor.ts'

const redactor = createRedactor()
const TOKEN = 'aQ9xZk3P0vLm8Rt2WyB7'

describe('a value whose name is in another field, and the same with a harmless name or value', () => {
  test.each([
    [
      '<add key="DbPassword" value="swordfish"/>',
      '<add key="DbPassword" value="[REDACTED:password]"/>',
      '<add key="Title" value="swordfish"/>',
    ],
    [
      `<add key="ApiToken" value="${TOKEN}"/>`,
      '<add key="ApiToken" value="[REDACTED:secret]"/>',
      `<add key="ApiToken" interval="${TOKEN}" xvalue="${TOKEN}"/>`,
    ],
    [
      '<property name="password">swordfish</property>',
      '<property name="password">[REDACTED:password]</property>',
      '<property name="user">swordfish</property>',
    ],
    [
      '<property name="password"><value>swordfish</value></property>',
      '<property name="password"><value>[REDACTED:password]</value></property>',
      '<label for="password">swordfish</label>',
    ],
    [
      '<password><![CDATA[swordfish]]></password>',
      '<password><![CDATA[[REDACTED:password]]]></password>',
      '<title><![CDATA[swordfish]]></title>',
    ],
    [
      `<key>ApiToken</key>\n  <string>${TOKEN}</string>`,
      '<key>ApiToken</key>\n  <string>[REDACTED:secret]</string>',
      '<key>ApiToken</key>\n  <string>com.example.App2</string>',
    ],
    [
      `<string name="api_key">${TOKEN}</string>`,
      '<string name="api_key">[REDACTED:secret]</string>',
      '<string name="api_key_title">Your keys</string>',
    ],
    [
      '{"name": "DB_PASSWORD", "value": "swordfish"}',
      '{"name": "DB_PASSWORD", "value": "[REDACTED:password]"}',
      '{"name": "token", "value": "identifier"}',
    ],
    [
      '- name: DB_PASSWORD\n  value: swordfish',
      '- name: DB_PASSWORD\n  value: [REDACTED:password]',
      '- name: PASSWORD_LENGTH\n  value: swordfish',
    ],
    [
      '{\\"key\\":\\"DB_PASSWORD\\",\\"value\\":\\"swordfish\\"}',
      '{\\"key\\":\\"DB_PASSWORD\\",\\"value\\":\\"[REDACTED:password]\\"}',
      '{\\"type\\":\\"password\\",\\"value\\":\\"swordfish\\"}',
    ],
  ])('%s', (text, clean, harmless) => {
    expect(redactor.redact(text)).toBe(clean)
    expect(redactor.redact(clean)).toBe(clean)
    expect(redactor.redact(harmless)).toBe(harmless)
  })
})

describe('a secret in prose is removed, a word stays', () => {
  test.each([
    [
      `use the token ${TOKEN} for staging`,
      'use the token [REDACTED:secret] for staging',
      'use the token refresh for staging',
    ],
    [
      `the client secret, ${TOKEN}, expires`,
      'the client secret, [REDACTED:secret], expires',
      'the client secret, rotated2024, expires',
    ],
    ['log in with password k3Yq9vTz', 'log in with password [REDACTED:password]', 'log in with password oauth2Token'],
    [
      'the password for the box is k3Yq9vTz',
      'the password for the box is [REDACTED:password]',
      'the password for the box is encrypted',
    ],
    ['das Passwort ist k3Yq9vTz', 'das Passwort ist [REDACTED:password]', 'das Passwort ist falsch'],
    ['**Password:** k3Yq9vTz', '**Password:** [REDACTED:password]', '**Password:** required'],
    [`- **API key**: \`${TOKEN}\``, '- **API key**: `[REDACTED:secret]`', '- **API key**: `Settings`'],
    [
      'AWS Secret Access Key [None]: kT7xR2vLb9Zr4Kp8Wd1Yc6Nh3Js5Fg0AeQm7xXzz',
      'AWS Secret Access Key [None]: [REDACTED:secret]',
      'AWS Secret Access Key [None]: ',
    ],
    [
      'the TOTP secret: KVKFKRCPNZQUYMLXOVYDSQKJKZDTSRLD',
      'the TOTP secret: [REDACTED:secret]',
      'the TOTP secret: AUTHENTICATIONREQUIRED',
    ],
    [`token ${TOKEN}`, 'token [REDACTED:secret]', 'token 4b825dc642cb6eb9a060e54bf8d69288fbee4904'],
    [`secret ${TOKEN}`, 'secret [REDACTED:secret]', 'secret src/aQ9xZk3P0vLm8Rt2.ts:12'],
    ['the password is k3Yq9vTz', 'the password is [REDACTED:password]', 'the password is sha256-hashed'],
    ["the password 'k3Yq9vTz' works", "the password '[REDACTED:password]' works", "the password 'password' works"],
  ])('%s', (text, clean, harmless) => {
    expect(redactor.redact(text)).toBe(clean)
    expect(redactor.redact(harmless)).toBe(harmless)
  })
})

describe('a plain word is a password where its context says so', () => {
  test.each([
    [
      'helm install a --set db.auth.password=swordfish',
      'helm install a --set db.auth.password=[REDACTED:password]',
      'helm install a --set db.auth.existing=swordfish',
    ],
    [
      'terraform apply -var "db_password=swordfish"',
      'terraform apply -var "db_password=[REDACTED:password]"',
      'terraform apply -var "db_password=$SWORDFISH"',
    ],
    [
      'TF_VAR_db_password=swordfish terraform plan',
      'TF_VAR_db_password=[REDACTED:password] terraform plan',
      'TF_VAR_region=swordfish terraform plan',
    ],
    [
      'wget --password=swordfish https://a',
      'wget --password=[REDACTED:password] https://a',
      'wget --password-file=swordfish https://a',
    ],
    [
      'host=db user=a password=swordfish dbname=a',
      'host=db user=a password=[REDACTED:password] dbname=a',
      'connect(host=db, password=swordfish, dbname=a)',
    ],
    ['Server=db;Uid=a;Pwd=swordfish;', 'Server=db;Uid=a;Pwd=[REDACTED:password];', 'x=1;pwd=swordfish;'],
    [
      '{"a":"b\\nPGPASSWORD=swordfish psql"}',
      '{"a":"b\\nPGPASSWORD=[REDACTED:password] psql"}',
      '{"a":"b\\nPGPASSFILE=swordfish psql"}',
    ],
    ['ansible_become_pass: swordfish9', 'ansible_become_pass: [REDACTED:password]', 'tests_that_pass: swordfish9'],
  ])('%s', (text, clean, harmless) => {
    expect(redactor.redact(text)).toBe(clean)
    expect(redactor.redact(harmless)).toBe(harmless)
  })
})

test('a quote that belongs to the value does not end it, however deep it was written into JSON', () => {
  const value = 'k3"Yq9\\vTz'
  let text = JSON.stringify({ password: value })
  let clean = '{"password":"[REDACTED:password]"}'
  for (let depth = 0; depth < 3; depth += 1) {
    expect(redactor.redact(text)).toBe(clean)
    text = JSON.stringify({ a: text })
    clean = JSON.stringify({ a: clean })
  }
})
