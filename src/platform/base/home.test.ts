import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { homeOf, isRelativeHome, withWholeHome } from './home.ts'

test.each([{ HOME: './x' }, { HOME: '', USERPROFILE: 'x' }])(
  'a home that is named from here has a whole path: %o',
  (env) => {
    const root = resolve('x/.holdfast')
    expect(homeOf(env).root).toBe(root)
    expect(withWholeHome(env)).toEqual({
      HOME: env.HOME === './x' ? resolve('x') : env.HOME,
      ...(env.USERPROFILE === undefined ? {} : { USERPROFILE: resolve('x') }),
      HOLDFAST_HOME: root,
    })
  },
)

test.each(['x/.holdfast', './x', '../x', '~/x', '.'])('a relative HOLDFAST_HOME counts as none: %s', (given) => {
  const env = { HOME: '/home/ada', HOLDFAST_HOME: given }
  expect(isRelativeHome(env)).toBe(true)
  expect(homeOf(env).root).toBe('/home/ada/.holdfast')
  expect(withWholeHome(env).HOLDFAST_HOME).toBe('/home/ada/.holdfast')
})

test('an absolute one counts, and an empty one is none', () => {
  expect(homeOf({ HOME: '/home/ada', HOLDFAST_HOME: '/srv/holdfast/../x' }).root).toBe('/srv/x')
  expect(homeOf({ HOME: '/home/ada', HOLDFAST_HOME: '' }).root).toBe('/home/ada/.holdfast')
  expect([{}, { HOLDFAST_HOME: '' }, { HOLDFAST_HOME: '/x' }].map(isRelativeHome)).toEqual([false, false, false])
})

test('an environment that names its home by a whole path stays as it is', () => {
  const env = { HOME: '/home/ada', PATH: '/bin' }
  expect(withWholeHome(env)).toBe(env)
  expect(homeOf(env).root).toBe('/home/ada/.holdfast')
})
