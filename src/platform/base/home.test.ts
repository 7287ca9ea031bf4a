import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { resolveHome, isRelativeHome, withWholeHome } from './home.ts'

test.each([{ HOME: './x' }, { HOME: '', USERPROFILE: 'x' }])('a relative home becomes absolute: %o', (env) => {
  const root = resolve('x/.holdfast')
  expect(resolveHome(env).root).toBe(root)
  expect(withWholeHome(env)).toEqual({
    HOME: env.HOME === './x' ? resolve('x') : env.HOME,
    ...(env.USERPROFILE === undefined ? {} : { USERPROFILE: resolve('x') }),
    HOLDFAST_HOME: root,
  })
})

test.each(['x/.holdfast', './x', '../x', '~/x', '.'])('a relative HOLDFAST_HOME is ignored: %s', (given) => {
  const env = { HOME: '/home/ada', HOLDFAST_HOME: given }
  expect(isRelativeHome(env)).toBe(true)
  expect(resolveHome(env).root).toBe('/home/ada/.holdfast')
  expect(withWholeHome(env).HOLDFAST_HOME).toBe('/home/ada/.holdfast')
})

test('an absolute HOLDFAST_HOME is used, an empty one ignored', () => {
  expect(resolveHome({ HOME: '/home/ada', HOLDFAST_HOME: '/srv/holdfast/../x' }).root).toBe('/srv/x')
  expect(resolveHome({ HOME: '/home/ada', HOLDFAST_HOME: '' }).root).toBe('/home/ada/.holdfast')
  expect([{}, { HOLDFAST_HOME: '' }, { HOLDFAST_HOME: '/x' }].map(isRelativeHome)).toEqual([false, false, false])
})

test('an environment with an absolute home is unchanged', () => {
  const env = { HOME: '/home/ada', PATH: '/bin' }
  expect(withWholeHome(env)).toBe(env)
  expect(resolveHome(env).root).toBe('/home/ada/.holdfast')
})
