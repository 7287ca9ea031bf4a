import { expect, test } from 'vitest'
import { engineVersion, loadSqlite, requireEngine } from './driver.ts'

test.each(['3.51.2', '3.51', '3.7.0', '2.99.99', '3.6.23'])('SQLite %s is refused', (version) => {
  expect(() => requireEngine(version)).toThrow(expect.objectContaining({ code: 'store-too-old' }))
})

test.each(['3.51.3', '3.51.10', '3.52.0', '3.53.4', '4.0.0'])('SQLite %s is taken', (version) => {
  expect(() => requireEngine(version)).not.toThrow()
})

test('the engine that comes with this Node or with us is new enough', () => {
  const database = new (loadSqlite().DatabaseSync)(':memory:')
  expect(() => requireEngine(engineVersion(database))).not.toThrow()
  database.close()
})
