import { expect, test } from 'vitest'
import { secretValuesOf } from './env-values.ts'

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
  expect(secretValuesOf(file)).toEqual([
    '0f8e2d7c9b1a4e6d0f8e2d7c9b1a4e6d',
    's3cret-horse',
    'k3Yq9vTz7',
    'x7Kq92mTzV4bNcW8r5Lp',
  ])
})
