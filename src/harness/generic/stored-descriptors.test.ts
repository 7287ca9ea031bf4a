import { dirname } from 'node:path'
import { mkdirSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { resolveHome } from '../../platform/base/home.ts'
import { writeManifest } from '../../install/manifest.ts'
import { createDescriptorLookup } from './index.ts'

const page = (title: string) => ({ name: 'typist', title, instructions: { file: '~/.typist/RULES.md' } })
const installed = (title: string) => ({
  harness: 'generic',
  scope: 'user' as const,
  version: '0',
  leftOut: [],
  files: [],
  page: page(title),
})

test('a page that was read once holds while the manifest cannot be read, and the next one after that', () => {
  using dir = tempDir()
  const home = resolveHome({ HOLDFAST_HOME: dir.path })
  writeManifest(home, [installed('First')])
  const pageOf = createDescriptorLookup(home)
  expect(pageOf('typist')?.title).toBe('First')
  writeFileSync(home.manifestFile, '{ broken')
  expect(pageOf('typist')?.title).toBe('First')
  expect(() => pageOf('other')).toThrow('cannot be read')
  writeManifest(home, [installed('The second')])
  expect([pageOf('typist')?.title, pageOf('other')]).toEqual(['The second', undefined])
})

test('one that could never be read says so: the payload is not taken for nonsense', () => {
  using dir = tempDir()
  const home = resolveHome({ HOLDFAST_HOME: dir.path })
  mkdirSync(dirname(home.manifestFile), { recursive: true })
  writeFileSync(home.manifestFile, '{ broken')
  expect(() => createDescriptorLookup(home)('typist')).toThrow(expect.objectContaining({ code: 'settings-unreadable' }))
})
