import fc from 'fast-check'
import { Client } from 'pg'
import { describe, expect, test } from 'vitest'
import { hideStoreSecrets, showStoreUrl } from './store-address.ts'

/** Not part of any host, name or parameter of these addresses: finding it means finding the password. */
const SECRET = 'Zq9-hunter2'

describe('an address without a secret is shown as it is', () => {
  test.each([
    'sqlite:',
    'sqlite:/home/u/holdfast.db',
    'postgres://me@db.example:5433/holdfast',
    'postgresql://localhost/holdfast?sslmode=verify-full&sslrootcert=/etc/ca.pem',
    'postgres://me@[::1]:5432/holdfast',
    'postgres://me@%2Fvar%2Frun%2Fpostgresql/holdfast',
    'postgres:///holdfast?host=/var/run/postgresql&passfile=/home/me/.pgpass',
  ])('%s', (url) => {
    expect(showStoreUrl(url)).toBe(url)
  })
})

test.each([
  [`postgres://me:${SECRET}@db/holdfast`, 'postgres://me:***@db/holdfast'],
  [`postgres://:${SECRET}@db/holdfast`, 'postgres://:***@db/holdfast'],
  [`postgres://me@db/holdfast?password=${SECRET}`, 'postgres://me@db/holdfast?password=***'],
  [`postgres://db/x?sslmode=require&sslpassword=${SECRET}`, 'postgres://db/x?sslmode=require&sslpassword=***'],
  [`postgres://db/x?pass%77ord=${SECRET}`, 'postgres://db/x?***'],
  [`postgres://me:a@${SECRET}@db/holdfast`, 'postgres://***'],
  [`postgres://me:12/${SECRET}@db/holdfast`, 'postgres://***'],
  [`postgres://me:a ${SECRET}@db/holdfast`, 'postgres://***'],
  [`postgres://me:12?${SECRET}@db/holdfast`, 'postgres://***'],
  [`postgres://me:12#${SECRET}@db/holdfast`, 'postgres://***'],
  [`postgres://me@db/holdfast?password=a@${SECRET}`, 'postgres://***'],
  [`host=db password=${SECRET}`, '***'],
  [`socket:/run/pg?db=x&password=${SECRET}`, '***'],
])('%s is shown as %s', (url, shown) => {
  expect(showStoreUrl(url)).toBe(shown)
})

const awkward = fc
  .array(fc.constantFrom('@', ':', '/', '?', '#', '&', '=', ' ', '%', '%40', '%2F', '+', '\t', '\n', '7', 'é', '😀'), {
    maxLength: 4,
  })
  .map((signs) => signs.join(''))
const passwords = fc.tuple(awkward, awkward).map(([before, after]) => `${before}${SECRET}${after}`)
const escaped = fc.constantFrom((text: string) => text, encodeURIComponent, encodeURI)
const addresses = fc
  .record({
    scheme: fc.constantFrom('postgres', 'postgresql'),
    password: passwords,
    escape: escaped,
    place: fc.constantFrom<(value: string) => string>(
      (value) => `me:${value}@db.example/holdfast`,
      (value) => `me:${value}@/holdfast`,
      (value) => `:${value}@db.example:5432/holdfast?sslmode=require`,
      (value) => `me@db.example/holdfast?password=${value}`,
      (value) => `me@db.example/holdfast?sslmode=require&password=${value}&application_name=x`,
      (value) => `db.example/holdfast?sslpassword=${value}`,
      (value) => `db.example/holdfast?user=me&options=${value}`,
    ),
  })
  .map(({ scheme, password, escape, place }) => `${scheme}://${place(escape(password))}`)

test('no part of a password is shown, whatever and wherever it is', () => {
  fc.assert(fc.property(addresses, (url) => !showStoreUrl(url).includes('hunter2')))
})

test('an error of the driver does not reveal it, whole or decoded', () => {
  fc.assert(
    fc.property(addresses, (url) => {
      let read: unknown
      try {
        read = new Client({ connectionString: url })
      } catch {
        // The driver rejects such an address without repeating it.
        return
      }
      const { host, database, password } = Object(read)
      const said = `connect ECONNREFUSED ${host} database "${database}" password "${password}" ${url}`
      expect(hideStoreSecrets(url)(said)).not.toContain('hunter2')
    }),
  )
})

test('unrelated text stays', () => {
  const hide = hideStoreSecrets(`postgres://me:${SECRET}@db.example/holdfast`)
  const said = 'getaddrinfo ENOTFOUND db.example'
  expect(hide(said)).toBe(said)
  expect(hide(`no ${SECRET} here`)).toBe('no *** here')
})
