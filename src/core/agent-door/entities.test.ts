import { expect, test } from 'vitest'
import { DoorWorld, ROOT } from '../../../test/support/door-world.ts'

test('every read says whether an entity holds, moved, is gone or cannot be told', async () => {
  await using world = await DoorWorld.open({
    codemap: {
      indexState: async () => ({ text: '', pair: 'missing' }),
      findSymbol: async (_root, name) => (name === 'Order' ? { file: 'lib/order.ts', line: 7 } : undefined),
    },
  })
  const { door } = world
  world.files.set(`${ROOT}/src/cart.ts`, '// cart\nexport function total() {}\nexport const RATE = 2\n')
  const register = (name: string, file: string, line?: number) =>
    door.registerEntity({ cwd: ROOT, name, type: 'function', file, ...(line === undefined ? {} : { line }) })
  expect(await register('total', `${ROOT}/src/cart.ts`, 2)).toMatchObject({ file: 'src/cart.ts', state: 'holds' })
  await register('RATE', 'src/cart.ts')
  await register('tax', 'src/cart.ts', 3)
  await register('Order', 'src/order.ts', 1)
  await register('outside', '/etc/passwd')

  world.files.set(`${ROOT}/src/cart.ts`, `// cart\n\n\nexport function total() {}\n`)
  const read = async () =>
    (await door.listEntities({ cwd: ROOT, limit: 9 })).map(({ name, state, foundAt }) => ({ name, state, foundAt }))
  expect(await read()).toEqual([
    { name: 'Order', state: 'moved', foundAt: { file: 'lib/order.ts', line: 7 } },
    { name: 'RATE', state: 'gone', foundAt: undefined },
    { name: 'outside', state: 'unknown', foundAt: undefined },
    { name: 'tax', state: 'gone', foundAt: undefined },
    { name: 'total', state: 'moved', foundAt: { file: 'src/cart.ts', line: 4 } },
  ])
  world.directories.delete(ROOT)
  expect(new Set((await read()).map(({ state }) => state))).toEqual(new Set(['unknown']))
})
