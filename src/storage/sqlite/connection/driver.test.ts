import { expect, test } from 'vitest'
import { engineVersion, openDatabase, requireEngine } from './driver.ts'

test.each(['3.51.2', '3.51', '3.7.0', '2.99.99', '3.6.23'])('SQLite %s is refused', (version) => {
  expect(() => requireEngine(version)).toThrow(expect.objectContaining({ code: 'store-too-old' }))
})

test.each(['3.51.3', '3.51.10', '3.52.0', '3.53.4', '4.0.0'])('SQLite %s is accepted', (version) => {
  expect(() => requireEngine(version)).not.toThrow()
})

test('the SQLite of this Node or of our dependency is new enough', () => {
  const database = openDatabase(':memory:')
  expect(() => requireEngine(engineVersion(database))).not.toThrow()
  database.close()
})

test('every way of running a statement reports the result code of a failure', () => {
  const database = openDatabase(':memory:')
  database.exec('create table once (id integer primary key); insert into once values (1)')
  const again = 'insert into once values (1) returning id'
  for (const run of [
    () => database.exec(again),
    () => database.prepare(again).run(),
    () => database.prepare(again).get(),
    () => database.prepare(again).all(),
  ]) {
    expect(run).toThrow(expect.objectContaining({ errcode: 1_555 }))
    expect(database.isTransaction).toBe(false)
  }
  database.exec('begin; insert into once values (2)')
  expect(() => database.prepare(again).all()).toThrow(expect.objectContaining({ errcode: 1_555 }))
  database.exec('commit')
  expect(
    database
      .prepare('select id from once')
      .all()
      .map(({ id }) => id),
  ).toEqual([1, 2])
  database.close()
})
