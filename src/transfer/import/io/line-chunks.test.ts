import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { lineChunks, readUnpacked } from './line-chunks.ts'

describe('lines of a file', () => {
  async function linesOf(path: string) {
    const all = []
    for await (const chunk of lineChunks(readUnpacked(path))) all.push(chunk)
    return all.flatMap(({ lines }) => lines)
  }

  test('come whole, across reads and without a last newline, each with the position after it', async () => {
    const long = 'x'.repeat(1_500_000)
    const content = `a\n${long}\n\nü€\nlast`
    using dir = tempDir()
    const packed = join(dir.path, 'packed.jsonl.gz')
    writeFileSync(packed, gzipSync(content))
    for (const path of [dir.write('plain.jsonl', content), packed]) {
      const lines = await linesOf(path)
      expect([lines[1]?.text === long, lines[1]?.end, lines.toSpliced(1, 1)]).toEqual([
        true,
        1_500_003,
        [
          { text: 'a', end: 2 },
          { text: 'ü€', end: 1_500_010 },
          { text: 'last', end: Buffer.byteLength(content) },
        ],
      ])
    }
  })

  test('one that is longer than anything we want is passed over', async () => {
    using dir = tempDir()
    const path = dir.write('huge.jsonl', `a\n${'x'.repeat(9_000_000)}\nb\n`)
    expect(await linesOf(path)).toEqual([
      { text: 'a', end: 2 },
      { text: 'b', end: 9_000_005 },
    ])
  })
})
