import { readFileSync } from 'node:fs'
import { walk } from './file-walk.ts'

// Put together here, so that no scanner takes this file for a leak. None of them was ever valid.
const filler = 'Zq7Rk2Wm9Tx4Bv6Nc1Jd8Hf3Gs5Lp0Ya7Ue2Io9Pr4St6Qw1Er8Ty3Ui5Op0As7Df2Gh9Jk4Lz6Xc1Vb8Nm3'
const part = (length: number, from = 0) => filler.slice(from, from + length)

const jwt = [
  ['ey', 'JhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9'].join(''),
  ['ey', 'JzdWIiOiI4ODEyMzQ1NiIsIm5hbWUiOiJDYW5hcnkifQ'].join(''),
  part(43, 5),
].join('.')
const keyBody = ['MIIEvQIBADANBgkqhkiG9w0BAQEF', 'AASCBKcwggSjAgEAAoIBAQC7', part(12, 20)].join('')
const password = `${part(6, 30)}-${part(9, 40)}`

/** What must not be found again: the telling piece of each secret. */
export const CANARIES: Readonly<Record<string, string>> = {
  anthropic: ['sk', 'ant', 'api03', `${part(80)}AA`].join('-'),
  github: ['ghp', part(36, 3)].join('_'),
  aws: ['AKIA', 'Q7ZRK2WM9TX4BV6N'].join(''),
  slack: ['xoxb', '123456789012', '1234567890123', part(24, 8)].join('-'),
  google: ['AIza', part(35, 11)].join(''),
  jwt,
  password,
  key: keyBody,
  env: 'correct-horse-battery-staple-77',
}

/** The line of the project's own env file. */
export const ENV_FILE = `BILLING_PASSPHRASE=${CANARIES['env']}\n`

/** Each secret as it comes up in text. */
const SPOKEN: readonly string[] = [
  ...['anthropic', 'github', 'aws', 'slack', 'google', 'jwt'].map((name) => `use ${CANARIES[name]} for it`),
  `export ANTHROPIC_API_KEY=${CANARIES['anthropic']}`,
  `{"token": "${CANARIES['github']}"}`,
  `Authorization: Bearer ${jwt}`,
  `postgres://app:${password}@db.example.test:5432/app`,
  `-----BEGIN PRIVATE KEY-----\n${keyBody}\n-----END PRIVATE KEY-----`,
  `the passphrase is ${CANARIES['env']} as before`,
]

/** All of them in one text. */
export const SECRETS = SPOKEN.join('\n')

/** What looks like a secret to a careless eye, and must stay. */
export const HARMLESS = {
  path: '/home/dev/projects/monorepo/packages/authentication/src/token-handling/refresh-token-rotation.test.ts',
  hash: '3f786850e387550fdab836ed7e6dc881de23001b',
  words: 'token handling',
  uuid: '0b9c5a4e-7f1d-4b3a-9c55-2f6d1e8a7b90',
} as const

export function canariesIn(bytes: Buffer | string): readonly string[] {
  return Object.entries(CANARIES).flatMap(([name, secret]) => (bytes.includes(secret) ? [name] : []))
}

/** Every file below a folder that holds one, with its name. */
export function leaksBelow(root: string): readonly string[] {
  return [...walk(root).keys()].flatMap((path) => {
    try {
      return canariesIn(readFileSync(path)).map((name) => `${path}: ${name}`)
    } catch {
      // A folder or a socket.
      return []
    }
  })
}
