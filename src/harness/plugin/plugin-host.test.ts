import { expect, test } from 'vitest'
import { detectPluginHost } from './plugin-host.ts'

test('a plugin whose recorded Node is gone uses another one', () => {
  expect(detectPluginHost({ node: '/gone/bin/node' }).node).toBe(process.execPath)
  expect(detectPluginHost({ node: '/bin/sh' }).node).toBe('/bin/sh')
})
