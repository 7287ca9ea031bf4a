import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { createAssets } from './assets.ts'

test('only built files are served, for ever and compressed where the browser can', async () => {
  using dir = tempDir()
  const manifest = { 'src/browser/main.tsx': { file: 'assets/main-1.js', isEntry: true, css: ['assets/main-1.css'] } }
  dir.write('.vite/manifest.json', JSON.stringify(manifest))
  dir.write('assets/main-1.js', 'start()')
  dir.write('secret.js', 'no')
  const assets = createAssets(dir.path)
  expect(await assets.readPageFiles()).toEqual({ scripts: ['/assets/main-1.js'], styles: ['/assets/main-1.css'] })
  const plain = await assets.respond('main-1.js', {})
  expect(plain.headers).toEqual({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'accept-encoding',
  })
  expect(String(plain.body)).toBe('start()')
  const packed = await assets.respond('main-1.js', { 'accept-encoding': 'br, gzip' })
  expect(packed.headers['content-encoding']).toBe('gzip')
  expect(gunzipSync(Buffer.from(packed.body)).toString()).toBe('start()')
  for (const name of ['../secret.js', '..%2Fsecret.js', 'main-1.map', '.vite', 'other-1.js'])
    expect((await assets.respond(name, {})).status).toBe(404)
})

test('without a build the pages have no script', async () => {
  expect(await createAssets(undefined).readPageFiles()).toEqual({ scripts: [], styles: [] })
  expect((await createAssets(undefined).respond('main-1.js', {})).status).toBe(404)
})
