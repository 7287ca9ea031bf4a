import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Product } from '../support/product.ts'

function aProject(product: Product): string {
  const project = join(product.dir, 'project')
  mkdirSync(join(project, 'src'), { recursive: true })
  writeFileSync(join(project, 'src', 'store.ts'), 'export class Store {}\n')
  writeFileSync(join(project, 'tool.py'), 'def tool():\n    pass\n')
  return project
}

test('`index --stdout` prints the map and leaves the project as it was', async () => {
  await using product = new Product()
  const project = aProject(product)
  const { code, stdout } = await product.cli(['index', project, '--stdout', '--max-chars', '12000'])
  expect(code).toBe(0)
  expect(stdout.slice(stdout.indexOf('```text')).split('\n').toSorted()).toEqual([
    '',
    '```',
    '```text',
    'src/store.ts: Store:1',
    'tool.py: tool:1',
  ])
  expect(readdirSync(project).toSorted()).toEqual(['src', 'tool.py'])
})

test('`index` writes a pair with one stamp, and says so as JSON', async () => {
  await using product = new Product()
  const project = aProject(product)
  const { code, stdout } = await product.cli(['index', project, '--json'])
  expect(code).toBe(0)
  const told: { meta: { generated: string } } = JSON.parse(stdout)
  const kept: { meta: { generated: string } } = JSON.parse(readFileSync(join(project, 'PROJECT_INDEX.json'), 'utf8'))
  expect(kept.meta).toEqual(told.meta)
  const heading = readFileSync(join(project, 'PROJECT_INDEX.md'), 'utf8').slice(0, 500)
  expect(/Generated:\s*(\S+)/.exec(heading)?.[1]).toBe(kept.meta.generated)
})

test('a folder that is not there is a failure with a name', async () => {
  await using product = new Product()
  const { code, stderr } = await product.cli(['index', join(product.dir, 'nowhere')])
  expect(code).toBe(1)
  expect(stderr).toContain('does not exist')
})

test('`index --refresh` creates nothing and updates only an outdated index', async () => {
  await using product = new Product()
  const project = aProject(product)
  const refresh = async () => {
    const { code, stdout } = await product.cli(['index', project, '--refresh', '--json'])
    return { code, ...JSON.parse(stdout) }
  }
  expect(await refresh()).toMatchObject({ code: 0, outcome: 'left-alone', because: 'missing' })
  expect(readdirSync(project).toSorted()).toEqual(['src', 'tool.py'])
  await product.cli(['index', project])
  expect(await refresh()).toMatchObject({ code: 0, outcome: 'unchanged' })
  writeFileSync(join(project, 'src', 'store.ts'), 'export class Shop {}\n')
  expect(await refresh()).toMatchObject({ code: 0, outcome: 'written' })
  expect(readFileSync(join(project, 'PROJECT_INDEX.md'), 'utf8')).toContain('Shop:1')
})

test('what the index found stands in the registry beside what was registered by hand, looked up at every read', async () => {
  await using product = new Product()
  const project = aProject(product)
  const json = async (...args: readonly string[]) =>
    JSON.parse((await product.cli([...args, '--json'], { cwd: project })).stdout)
  const listed = async () =>
    (await json('entities', 'list')).map((entity: Record<string, unknown>) => [
      entity.name,
      entity.origin,
      entity.state,
    ])
  await product.cli(['index', project])
  expect((await listed()).toSorted()).toEqual([
    ['Store', 'index', 'holds'],
    ['tool', 'index', 'holds'],
  ])
  await json('entities', 'register', 'tool', 'function', 'tool.py:1')
  writeFileSync(join(project, 'src', 'store.ts'), '\n\nexport class Store {}\n')
  expect(await listed()).toEqual([
    ['tool', 'hand', 'holds'],
    ['Store', 'index', 'moved'],
  ])
  expect(await json('entities', 'list', 'sto')).toMatchObject([
    { name: 'Store', foundAt: { file: 'src/store.ts', line: 3 } },
  ])
  expect(await json('entities', 'forget', 'tool')).toEqual({ forgotten: 1 })
  expect((await product.cli(['entities', 'forget', 'tool'], { cwd: project })).stderr).toContain('No entity')
})
