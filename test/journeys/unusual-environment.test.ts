import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Product } from '../support/product.ts'

const HOLDFAST = join(import.meta.dirname, '..', '..', 'bin', 'holdfast')

test('in a folder that was deleted meanwhile a command says so, in words and in JSON', async () => {
  await using product = new Product()
  const inGone = (words: string) =>
    product.run('/bin/sh', [
      '-c',
      `mkdir gone && cd gone && rmdir ../gone && exec "$0" "$1" ${words}`,
      process.execPath,
      HOLDFAST,
    ])
  expect(await inGone('status')).toMatchObject({
    code: 1,
    stdout: '',
    stderr:
      'holdfast: The current folder no longer exists.\nChange to another folder (`cd ~`), then run the command again.\n',
  })
  const { code, stdout, stderr } = await inGone('status --json')
  expect({ code, stderr, error: JSON.parse(stdout) }).toMatchObject({
    code: 1,
    stderr: '',
    error: { error: { code: 'not-found' } },
  })
})

test.runIf(existsSync('/dev/full'))('output that cannot be written is one line, and a failure', async () => {
  await using product = new Product()
  const ran = await product.run('/bin/sh', ['-c', 'exec "$0" "$1" version > /dev/full', process.execPath, HOLDFAST])
  expect(ran).toEqual({
    code: 1,
    stdout: '',
    stderr: 'holdfast: Output could not be written: ENOSPC: no space left on device, write.\n',
  })
})
