import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { homeOf, withWholeHome } from './home.ts'

test.each([{ HOME: './x' }, { HOME: '', USERPROFILE: 'x' }, { HOME: '/home/ada', HOLDFAST_HOME: 'x/.holdfast' }])(
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

test('an environment that names its home by a whole path stays as it is', () => {
  const env = { HOME: '/home/ada', PATH: '/bin' }
  expect(withWholeHome(env)).toBe(env)
  expect(homeOf(env).root).toBe('/home/ada/.holdfast')
})
