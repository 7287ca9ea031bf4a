import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PATIENT, Product, waitUntil } from '../support/product.ts'

let product: Product

beforeAll(async () => {
  product = new Product(PATIENT)
  await product.connect()
})
afterAll(() => product[Symbol.asyncDispose]())

function git(cwd: string, ...args: readonly string[]): void {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.com']
  execFileSync('git', [...identity, ...args], { cwd, env: product.env, stdio: 'pipe' })
}

async function recall(cwd: string): Promise<unknown> {
  return product.json(['recall', 'releases tagged'], { cwd })
}

test('two clones of one repository share memories and rules; a folder that only names its remote gets nothing', async () => {
  const one = await product.aProject('one')
  git(one, 'remote', 'add', 'origin', 'https://user:pw@Example.com/team/app.git')
  const clone = join(product.dir, 'elsewhere', 'app')
  git(product.dir, 'clone', '--quiet', one, clone)
  git(clone, 'remote', 'set-url', 'origin', 'git@example.com:team/app.git')
  // The same address without the history.
  const named = await product.aProject('named')
  git(named, 'commit', '--quiet', '--allow-empty', '--amend', '-m', 'another first commit')
  git(named, 'remote', 'add', 'origin', 'https://example.com/team/app.git')
  // The address and the objects of the other one, borrowed.
  const borrowing = join(product.dir, 'borrowing')
  git(product.dir, 'clone', '--quiet', '--shared', one, borrowing)
  git(borrowing, 'remote', 'set-url', 'origin', 'https://example.com/team/app.git')

  await product.json(['remember', 'Releases are tagged by the pipeline'], { cwd: one })
  await product.json(['rules', 'add', 'Never push to main.'], { cwd: one })
  for (const folder of [clone, named, borrowing]) await recall(folder)
  await waitUntil(
    async () => JSON.stringify(await recall(clone)).includes('pipeline'),
    'the root commits of both clones are known',
  )
  expect(JSON.stringify(await product.json(['rules', 'list'], { cwd: clone }))).toContain('Never push to main')
  expect(await recall(named)).toEqual([])
  expect(await recall(borrowing)).toEqual([])

  const [{ memory }] = (await recall(clone)) as [{ memory: { id: string } }]
  expect((await product.cli(['forget', memory.id], { cwd: named })).code).not.toBe(0)
  expect((await product.cli(['forget', memory.id], { cwd: clone })).code).toBe(0)
  expect(await recall(one)).toEqual([])
})
