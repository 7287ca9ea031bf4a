import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parseLine, parseLines, readAppended, readLinesBefore } from './append-log.ts'

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-log-'))
  path = join(folder, 't.jsonl')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const texts = (chunk: { lines: readonly { text: string }[] }) => chunk.lines.map((line) => line.text)

test('a line that is still being written waits for its end', async () => {
  writeFileSync(path, '{"a":1}\n{"b"')
  const first = await readAppended(path, 0)
  expect({ texts: texts(first), next: first.nextOffset }).toEqual({ texts: ['{"a":1}'], next: 8 })
  const nothing = await readAppended(path, first.nextOffset)
  expect(nothing).toEqual({ lines: [], start: 8, nextOffset: 8, isTail: false, rest: '{"b"' })
  appendFileSync(path, ':2}\n')
  const second = await readAppended(path, first.nextOffset)
  expect({ texts: texts(second), next: second.nextOffset }).toEqual({ texts: ['{"b":2}'], next: 16 })
})

test('nothing is read twice', async () => {
  writeFileSync(path, 'a\nb\n')
  const { nextOffset } = await readAppended(path, 0)
  expect(texts(await readAppended(path, nextOffset))).toEqual([])
})

test.each([['missing.jsonl'], ['.']])('%s gives nothing and keeps the offset', async (name) => {
  expect(await readAppended(join(folder, name), 5)).toEqual({ lines: [], start: 5, nextOffset: 5, isTail: false })
})

test.skipIf(process.platform === 'win32')('a FIFO that nobody writes to does not hang', async () => {
  execFileSync('mkfifo', [path])
  expect(await readAppended(path, 0)).toEqual({ lines: [], start: 0, nextOffset: 0, isTail: false })
})

test('a file that became shorter is read from its start again', async () => {
  writeFileSync(path, 'old line one\nold line two\n')
  const { nextOffset } = await readAppended(path, 0)
  truncateSync(path, 0)
  appendFileSync(path, 'new\n')
  expect(texts(await readAppended(path, nextOffset))).toEqual(['new'])
})

test('an offset inside a line moves to the next one', async () => {
  writeFileSync(path, '{"long":"line"}\n{"b":2}\n')
  expect(texts(await readAppended(path, 3))).toEqual(['{"b":2}'])
})

test('a backlog beyond the bound is passed over, beginning with a whole line', async () => {
  writeFileSync(path, Array.from({ length: 100 }, (_, index) => `line ${index}\n`).join(''))
  const chunk = await readAppended(path, 0, { chunkBytes: 1_000, backlogBytes: 20 })
  expect({ texts: texts(chunk), isTail: chunk.isTail }).toEqual({ texts: ['line 98', 'line 99'], isTail: true })
})

test('a line longer than a whole read is stepped over', async () => {
  writeFileSync(path, `${'x'.repeat(50)}\nshort\n`)
  const limits = { chunkBytes: 20, backlogBytes: 1_000 }
  const first = await readAppended(path, 0, limits)
  expect({ texts: texts(first), next: first.nextOffset }).toEqual({ texts: [], next: 51 })
  expect(texts(await readAppended(path, first.nextOffset, limits))).toEqual(['short'])
})

test('a line behind the NULs that a power loss left, or behind a byte order mark, is read', async () => {
  writeFileSync(path, '\uFEFF{"a":1}\n{"b"\0\0\n\0\0\0{"c":3}\n')
  const { lines, nextOffset } = await readAppended(path, 0)
  expect([parseLines(lines), nextOffset]).toEqual([[{ a: 1 }, { c: 3 }], 29])
})

test('NULs, blank lines and bytes that are not UTF-8 cost only their own line', async () => {
  writeFileSync(
    path,
    Buffer.concat([
      Buffer.from([0, 0, 0, 10]),
      Buffer.from('\n{"a":1}\n'),
      Buffer.from([0xff, 0xfe, 10]),
      Buffer.from('{"b":2}\r\n'),
    ]),
  )
  const { lines } = await readAppended(path, 0)
  expect(lines.flatMap((line) => parseLine(line.text) ?? [])).toEqual([{ a: 1 }, { b: 2 }])
})

test('ten gigabytes of nothing are read by their tail alone', async () => {
  writeFileSync(path, '')
  truncateSync(path, 10 * 1_024 ** 3)
  const empty = await readAppended(path, 0)
  expect(empty).toEqual({ lines: [], start: 0, nextOffset: 0, isTail: true })
  appendFileSync(path, '\n{"last":true}\n')
  const chunks = []
  for (let offset = 0; ; ) {
    const chunk = await readAppended(path, offset)
    chunks.push(...texts(chunk))
    if (chunk.nextOffset === offset) break
    offset = chunk.nextOffset
  }
  expect(chunks).toEqual(['{"last":true}'])
})

test('lines before an offset are whole and end there', async () => {
  writeFileSync(path, 'aaaa\nbbbb\ncccc\n')
  expect((await readLinesBefore(path, 10, 7)).map((line) => line.text)).toEqual(['bbbb'])
  expect((await readLinesBefore(path, 10, 1_000)).map((line) => line.text)).toEqual(['aaaa', 'bbbb'])
})

test('property: however the bytes arrive, every line is read once and in order', async () => {
  const lines = fc.array(fc.stringMatching(/^[a-zé☃]{1,12}$/), { maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(
      lines,
      fc.array(fc.nat(), { maxLength: 8 }),
      fc.integer({ min: 40, max: 100 }),
      async (all, cuts, chunkBytes) => {
        const bytes = Buffer.from(all.map((line) => `${line}\n`).join(''))
        const points = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
        writeFileSync(path, '')
        const seen: string[] = []
        let offset = 0
        let from = 0
        for (const to of points) {
          appendFileSync(path, bytes.subarray(from, to))
          from = to
          for (;;) {
            const chunk = await readAppended(path, offset, { chunkBytes, backlogBytes: 10_000 })
            seen.push(...texts(chunk))
            if (chunk.nextOffset === offset) break
            offset = chunk.nextOffset
          }
        }
        expect(seen).toEqual(all)
      },
    ),
    { numRuns: 60 },
  )
})
