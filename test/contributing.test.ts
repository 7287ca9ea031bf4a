import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

function markdownIn(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`)
}

const topPages = readdirSync(root).filter((name) => name.endsWith('.md'))
const pages = [...topPages, ...markdownIn('docs')]

/** Between backticks, from the root, without placeholders such as `<id>`. */
function namedPaths(text: string): readonly string[] {
  const paths = text.matchAll(/`((?:src|test|docs|scripts|bench|bin|skills|\.ci|\.github)\/[\w./-]*)`/g)
  return [...paths].map(([, path = '']) => path)
}

function brokenLinks(page: string, text: string): readonly string[] {
  return [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)(?:#[^)]*)?\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !existsSync(join(root, dirname(page), target)))
    .map((target) => `${page}: ${target}`)
}

test('CONTRIBUTING.md names only paths that exist', () => {
  const named = namedPaths(read('CONTRIBUTING.md'))
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
})

test('the guides name only paths that exist', () => {
  const missing = pages
    .filter((page) => page !== 'CHANGELOG.md' && !page.startsWith('docs/reference/'))
    .flatMap((page) => namedPaths(read(page)).map((path) => ({ page, path })))
    .filter(({ path }) => !existsSync(join(root, path)))
  expect(missing).toEqual([])
})

test('links between pages lead to a file', () => {
  expect(pages.flatMap((page) => brokenLinks(page, read(page)))).toEqual([])
  expect(brokenLinks('docs/a.md', '[here](no-such-page.md#top) and [there](https://example.org)')).toEqual([
    'docs/a.md: no-such-page.md',
  ])
})
