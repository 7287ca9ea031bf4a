import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { MemoryId, ProjectId } from '../../../kernel/id.ts'
import type { DataRecord } from '../record.ts'
import { createRecordFile, readRecordFile } from './record-file.ts'

const aMemory = (content: string): DataRecord => ({
  kind: 'memory',
  value: {
    id: MemoryId('mem-1'),
    projectId: ProjectId('project-1'),
    type: 'note',
    content,
    importance: 3,
    tags: [],
    source: 'cli',
    createdAt: '2026-01-20T10:00:00.000Z',
    hits: 0,
  },
})

async function writeFile(path: string, records: readonly DataRecord[]): Promise<void> {
  const file = await createRecordFile(path, { madeAt: '2026-01-20T10:00:00.000Z', machine: 'desk' })
  await file.add(records)
  await file.finish()
  await file.close()
}

async function readAll(path: string): Promise<readonly unknown[]> {
  const records: unknown[] = []
  for await (const { record } of readRecordFile(path)) records.push(record)
  return records
}

test('a text may have any character, and a line the end of any system', async () => {
  using dir = tempDir()
  const path = join(dir.path, 'export.jsonl')
  const records = [aMemory('one\u2028two\u2029three\u0085four\r\n\u{1f600}'), aMemory('ü'.repeat(1_500_000))]
  await writeFile(path, records)
  expect(await readAll(path)).toEqual(records)
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll('\n', '\r\n'))
  expect(await readAll(path)).toEqual(records)
})

test('a line that is too long to be a record is refused before it is held', async () => {
  using dir = tempDir()
  const path = join(dir.path, 'export.jsonl')
  await writeFile(path, [])
  truncateSync(path, 3_000_000_000)
  await expect(readAll(path)).rejects.toThrow(/damaged in line 3: it is longer than 67108864 bytes/)
})
