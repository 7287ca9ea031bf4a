import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { getKeysDir, isSignedBy, loadMachineSigner } from './machine-keys.ts'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'holdfast-keys-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

test('the key of a machine is created once, readable by its owner only, and signs', async () => {
  const [signer, again] = await Promise.all([loadMachineSigner({ root }), loadMachineSigner({ root })])
  expect(again.publicKey).toBe(signer.publicKey)
  const file = join(getKeysDir({ root }), 'signing.pem')
  expect([statSync(file).mode & 0o777, statSync(getKeysDir({ root })).mode & 0o777]).toEqual([0o600, 0o700])
  const signature = signer.sign('erased')
  expect(isSignedBy(signer.publicKey, new TextEncoder().encode('erased'), signature)).toBe(true)
  expect(isSignedBy(signer.publicKey, 'erasee', signature)).toBe(false)
  expect(isSignedBy('not a key', 'erased', signature)).toBe(false)
})

test('a damaged key file is named and not replaced', async () => {
  const { publicKey } = await loadMachineSigner({ root })
  const file = join(getKeysDir({ root }), 'signing.pem')
  writeFileSync(file, 'damaged')
  await expect(loadMachineSigner({ root })).rejects.toThrow(`${file} does not contain an Ed25519 key.`)
  rmSync(file)
  expect((await loadMachineSigner({ root })).publicKey).not.toBe(publicKey)
})
