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

/**
 * Names without a folder, such as `events.ts`, that exist in none of the folders that the same paragraph names; `<id>` stands
 * for any folder.
 */
function findMissingNames(text: string): readonly string[] {
  return text.split('\n').flatMap((paragraph) => {
    const paths = [...paragraph.matchAll(/`((?:src|test|scripts)\/[\w./<>-]*)`/g)].map(([, path = '']) => path)
    const folders = paths.flatMap((path) => expandFolder(path.endsWith('/') ? path : dirname(path)))
    const names = [...paragraph.matchAll(/`([\w.-]+\.(?:ts|mjs|sh))`/g)].map(([, name = '']) => name)
    return names.filter((name) => !folders.some((folder) => existsSync(join(root, folder, name))))
  })
}

function expandFolder(folder: string): readonly string[] {
  const [parent = '', rest] = folder.split('<id>')
  return rest === undefined ? [folder] : readdirSync(join(root, parent)).map((id) => `${parent}${id}${rest}`)
}

test('CONTRIBUTING.md names only files that exist in the folder it speaks of', () => {
  expect(findMissingNames(read('CONTRIBUTING.md'))).toEqual([])
  expect(findMissingNames('Create `src/harness/<id>/` with `index.ts` and `output.ts`.')).toEqual(['output.ts'])
  expect(findMissingNames('Beside `src/kernel/event.ts` is `no-such-file.ts`.')).toEqual(['no-such-file.ts'])
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

test('the way of a prompt in ARCHITECTURE.md has at most 45 files', () => {
  const [, journey = ''] = /\*\*A prompt is submitted\.\*\*(.*?)\n\*\*/s.exec(read('ARCHITECTURE.md')) ?? []
  const files = new Set(namedPaths(journey))
  expect(files.size).toBeGreaterThan(20)
  expect(files.size).toBeLessThanOrEqual(45)
})
