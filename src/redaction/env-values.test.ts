import { describe, expect, test } from 'vitest'
import { extractSecretValues } from './env-values.ts'
import { createRedactor } from './redactor.ts'

test('takes the secrets of an env file and leaves its ordinary words', () => {
  const file = [
    '# settings',
    'NODE_ENV=development',
    'PORT=3000',
    'HOST=localhost:8080',
    'DEBUG=true',
    'APP_URL=https://app.example.com/login',
    'LOG_FILE=/var/log/app.log',
    'DB_PASSWORD=postgres',
    'ADMIN_PASSWORD=changeme',
    'EMPTY_TOKEN=',
    'SHORT_SECRET=a1b2',
    'SESSION_SECRET="k3Yq9vTz 7mWx"',
    "export API_KEY='0f8e2d7c9b1a4e6d0f8e2d7c9b1a4e6d'",
    'MAIL_PASSWORD=s3cret-horse # for the relay',
    'DATABASE_URL=postgres://app:k3Yq9vTz7@db.internal:5432/app',
    'SOMETHING=x7Kq92mTzV4bNcW8r5Lp',
    'GIT_SHA=4b825dc642cb6eb9a060e54bf8d69288fbee4904',
    'not a line',
    '',
  ].join('\r\n')
  expect(extractSecretValues(file)).toEqual([
    'k3Yq9vTz 7mWx',
    '0f8e2d7c9b1a4e6d0f8e2d7c9b1a4e6d',
    's3cret-horse',
    'k3Yq9vTz7',
    'x7Kq92mTzV4bNcW8r5Lp',
  ])
})

describe('after a name with a secret keyword', () => {
  test.each([
    ['six characters with a digit', 'ADMIN_PASSWORD=hunter2', 'hunter2'],
    ['letters that are not words', 'DB_PASSWORD=UkbLiVdPbjKt', 'UkbLiVdPbjKt'],
    ['signs', 'DB_PASSWORD=8h8&DS^Uxg', '8h8&DS^Uxg'],
    ['signs at its beginning', 'DB_PASSWORD=$kX9!vbQz#', '$kX9!vbQz#'],
    ['a number', 'SMS_PASSWORD=48213977', '48213977'],
    ['a phrase', 'MASTER_PASSWORD="correct horse battery staple"', 'correct horse battery staple'],
    ['a token of twelve', 'API_KEY=ltfstijx0avc', 'ltfstijx0avc'],
  ])('%s is taken', (_, line, value) => {
    expect(extractSecretValues(line)).toEqual([value])
  })

  test.each([
    'POSTGRES_PASSWORD=postgres',
    'POSTGRES_PASSWORD=development',
    'DB_PASSWORD=myproject',
    'DB_PASSWORD=my-project',
    'DB_PASSWORD=abc12',
    'DB_PASSWORD=${OTHER}',
    'DB_PASSWORD=<your-password>',
    'AUTH_TOKEN=disabled',
    'JWT_SECRET=changeme',
    'SECRET_NAME=prod/db',
  ])('a word, a template or a default stays: %s', (line) => {
    expect(extractSecretValues(line)).toEqual([])
  })
})

describe('after any other name', () => {
  test.each([
    ['a random word of twelve', 'SOMETHING=aQ9xZk3P0vLm', 'aQ9xZk3P0vLm'],
    ['the password of an address', 'CACHE=redis://:k3Yq9vTz@cache:6379', 'k3Yq9vTz'],
    ['one that is not escaped', 'REPO=https://bob:sA0P6jcb#W@git.internal/a.git', 'sA0P6jcb#W'],
    ['the password of a connection', 'CONN=Server=db;User Id=sa;Password=k3Yq9vTz7;', 'k3Yq9vTz7'],
  ])('%s is taken', (_, line, value) => {
    expect(extractSecretValues(line)).toEqual([value])
  })

  test('ordinary settings stay', () => {
    const lines = [
      ...[
        'NODE_ENV=production',
        'APP_ENV=development',
        'LOG_LEVEL=info',
        'PORT=3000',
        'DEBUG=true',
        'DB_USER=postgres',
      ],
      ...['HOST=localhost', 'REGION=us-east-1', 'AWS_REGION=eu-central-1', 'TZ=Europe/Berlin', 'LANG=en_US.UTF-8'],
      ...[
        'MODEL=gpt-4o-2024-08-06',
        'MODEL=claude-3-5-sonnet-20241022',
        'IMAGE=node:20-alpine3.19',
        'VERSION=1.2.3-rc.4',
      ],
      ...['APP_URL=http://localhost:3000/auth/callback', 'FILE=/var/lib/app/data.sqlite3', 'CORS=http://a.test:3000'],
      ...['S3_BUCKET=my-app-uploads-prod', 'SENDER=no-reply@example.org', 'DATABASE_URL=postgres://localhost:5432/app'],
      ...[
        'DB=postgres://postgres:postgres@localhost:5432/test',
        'CACHE_TTL=86400000',
        'FEATURE_FLAGS=newCheckout,darkMode',
      ],
      ...['SESSION_ID=7f2fbf27-0a44-42e3-94a1-4bfb5b48f071', 'BUILD=20260101120000', 'NEXT_TELEMETRY_DISABLED=1'],
      ...['PATTERN=^[a-z0-9]{8,12}$', 'KEYBOARD=qwertz', 'COMPOSE_PROJECT_NAME=holdfast', 'PYTHONPATH=src:lib'],
    ]
    expect(extractSecretValues(lines.join('\n'))).toEqual([])
  })
})

test('a short value is found as a word, not inside other words', () => {
  const redactor = createRedactor({ extraValues: ['hunter2'] })
  expect(redactor.redact('try hunter2, or ab\\nhunter2 there')).toBe(
    'try [REDACTED:env-value], or ab\\n[REDACTED:env-value] there',
  )
  expect(redactor.redact('the witchhunter2000 and hunter22')).toBe('the witchhunter2000 and hunter22')
})
