import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { buildIndex, type IndexRequest } from '../../src/codemap/build-index.ts'
import { checkIndexPair } from '../../src/codemap/pair/check-pair.ts'
import { createIndexReader } from '../../src/codemap/pair/index-reader.ts'
import { parseFiles } from '../../src/codemap/parse/parse-pool.ts'
import { grammarFile } from '../support/grammar-file.ts'
import { refreshPair } from '../../src/codemap/pair/refresh-pair.ts'
import { writePair } from '../../src/codemap/pair/index-files.ts'
import { type DurableFs, realDurableFs } from '../../src/platform/files/atomic-file.ts'
import { bundleProgram, PROJECT_ROOT, type StoreWorkerBundle } from './store-worker-bundle.ts'

const GRAMMARS = ['web-tree-sitter.wasm', 'tree-sitter-typescript.wasm', 'tree-sitter-python.wasm']
const LONG_AGO = new Date('2020-01-01T00:00:00Z')

let bundle: StoreWorkerBundle
let grammarsDir: string
let root: string
let cacheDir: string

beforeAll(async () => {
  bundle = await bundleProgram(PROJECT_ROOT, 'src/codemap/parse/parse-worker.ts')
  grammarsDir = mkdtempSync(join(tmpdir(), 'holdfast-grammars-'))
  for (const name of GRAMMARS) symlinkSync(grammarFile(name), join(grammarsDir, name))
})
afterAll(() => {
  bundle[Symbol.dispose]()
  rmSync(grammarsDir, { recursive: true, force: true })
})
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'holdfast-codemap-'))
  cacheDir = mkdtempSync(join(tmpdir(), 'holdfast-cache-'))
})
afterEach(() => {
  rmSync(root, { recursive: true, force: true })
  rmSync(cacheDir, { recursive: true, force: true })
})

function write(path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
  utimesSync(join(root, path), LONG_AGO, LONG_AGO)
}

function git(...args: readonly string[]): void {
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@localhost', '-c', 'commit.gpgsign=false']
  execFileSync('git', [...who, ...args], { cwd: root, stdio: 'ignore' })
}

function commitAll(): void {
  git('add', '.')
  git('commit', '-q', '-m', 'more')
}

function request(more: Partial<IndexRequest> = {}): IndexRequest {
  return {
    root,
    cacheDir,
    parser: { workerFile: bundle.file, grammarsDir },
    clock: { now: () => '2026-01-02T03:04:05.678Z' },
    maxChars: 12_000,
    ...more,
  }
}

const mapOf = (markdown: string) => /```text\n([^]*)```\n$/.exec(markdown)?.[1]

describe('building the index', () => {
  test('only what changed is parsed again, and the result is that of a full reading', async () => {
    write('src/store.ts', 'export class Store {}\n')
    write('src/app.ts', 'import { Store } from "./store"\nexport function main() { return new Store() }\n')
    git('init', '-q')
    commitAll()
    expect((await buildIndex(request())).parsed).toBe(2)
    expect((await buildIndex(request())).parsed).toBe(0)
    write('src/app.ts', 'import { Store } from "./store"\n\nexport function start() { return new Store() }\n')
    write('src/tool.py', 'def tool():\n    pass\n')
    const changed = await buildIndex(request())
    expect(changed.parsed).toBe(2)
    expect(mapOf(changed.markdown)?.split('\n').toSorted()).toEqual([
      '',
      '  app.ts: start:3',
      '  store.ts: Store:1',
      '  tool.py: tool:1',
      'src/',
    ])
    const full = await buildIndex(request({ isFull: true }))
    expect([full.parsed, full.markdown, full.json]).toEqual([3, changed.markdown, changed.json])
  })

  test('a file that is touched without a change is read and not parsed; one that is gone is gone', async () => {
    write('a.ts', 'export const a = 1\n')
    write('b.ts', 'export const b = 1\n')
    await buildIndex(request())
    utimesSync(join(root, 'a.ts'), new Date(), new Date())
    rmSync(join(root, 'b.ts'))
    const again = await buildIndex(request())
    expect([again.parsed, again.meta.files, mapOf(again.markdown)]).toEqual([0, 1, 'a.ts: a:1\n'])
  })

  test('a damaged cache is made again', async () => {
    write('a.ts', 'export const a = 1\n')
    const first = await buildIndex(request())
    for (const file of readdirSync(cacheDir)) writeFileSync(join(cacheDir, file), 'nonsense')
    const again = await buildIndex(request())
    expect([again.parsed, again.markdown]).toEqual([1, first.markdown])
  })

  test('no text of the files is kept beside the names of their definitions', async () => {
    write('a.ts', 'export const key = "planted_S3CRET_value" // planted_S3CRET_comment\n')
    await buildIndex(request())
    const kept = readdirSync(cacheDir).map((file) => readFileSync(join(cacheDir, file), 'latin1'))
    expect(kept.map((text) => text.includes('S3CRET'))).toEqual([false, false])
  })

  test('an empty project has a map without files, within the budget', async () => {
    const index = await buildIndex(request({ maxChars: 1_000 }))
    expect([index.meta.files, mapOf(index.markdown), index.markdown.length <= 1_000]).toEqual([0, '', true])
  })

  test('the whole text keeps to its budget', async () => {
    for (let n = 0; n < 80; n += 1)
      write(`src/part${n}/file${n}.ts`, `export function f${n}() {}\nexport const c${n} = 1\n`)
    const { markdown } = await buildIndex(request({ maxChars: 2_000 }))
    expect(markdown.length).toBeGreaterThan(1_900)
    expect(markdown.length).toBeLessThanOrEqual(2_000)
  })
})

describe('workers', () => {
  test('a parser that cannot start is a clear failure', async () => {
    const options = { workerFile: bundle.file, grammarsDir: join(root, 'none') }
    await expect(parseFiles([{ path: 'a.ts', file: join(root, 'a.ts') }], options)).rejects.toThrow(
      'The source parser did not start.',
    )
  })

  test('a file that kills or hangs its worker is left out, and the others are not lost', async () => {
    const workerFile = join(root, 'worker.mjs')
    writeFileSync(
      workerFile,
      `import { parentPort } from 'node:worker_threads'
       parentPort.on('message', ({ files }) => {
         if (files.some(({ path }) => path === 'kills')) process.exit(3)
         if (files.some(({ path }) => path === 'hangs')) for (;;);
         parentPort.postMessage(files.map(({ path }) => ({ path, contentHash: 'h' })))
       })
       parentPort.postMessage('ready')`,
    )
    const jobs = ['a', 'kills', 'b', 'hangs', 'c'].map((path) => ({ path, file: path }))
    const parsed = await parseFiles(jobs, { workerFile, grammarsDir, maxWorkers: 1, maxBatchMs: 1_000 })
    expect(parsed.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
      { path: 'a', contentHash: 'h' },
      { path: 'b', contentHash: 'h' },
      { path: 'c', contentHash: 'h' },
      { path: 'hangs' },
      { path: 'kills' },
    ])
  })
})

describe('the pair', () => {
  const markdownPath = () => join(root, 'PROJECT_INDEX.md')
  const jsonPath = () => join(root, 'PROJECT_INDEX.json')

  async function writeIndex(): Promise<void> {
    write('a.ts', 'export const a = 1\n')
    writePair(root, await buildIndex(request()))
  }

  test('written together it is sound, and says its age in commits', async () => {
    git('init', '-q')
    write('a.ts', 'export const a = 1\n')
    commitAll()
    await writeIndex()
    write('b.ts', 'export const b = 1\n')
    commitAll()
    const { markdown, ...check } = await checkIndexPair(root)
    expect(check).toEqual({ state: 'ok', generated: '2026-01-02T03:04:05.678Z', commitsSince: 1, advice: '' })
    expect(markdown).toBe(readFileSync(markdownPath(), 'utf8'))
  })

  test('Windows newlines do not break it', async () => {
    await writeIndex()
    writeFileSync(markdownPath(), readFileSync(markdownPath(), 'utf8').replaceAll('\n', '\r\n'))
    expect((await checkIndexPair(root)).state).toBe('ok')
  })

  test.each([
    ['missing', () => [markdownPath(), jsonPath()].forEach((path) => rmSync(path))],
    ['missing', () => rmSync(markdownPath())],
    ['missing', () => rmSync(jsonPath())],
    ['unreadable', () => writeFileSync(jsonPath(), '{"meta":')],
    ['unreadable', () => writeFileSync(jsonPath(), '{"meta":{}}')],
    ['mismatched', () => writeFileSync(markdownPath(), '# Project index\n\nGenerated: 2020-01-01T00:00:00Z\n')],
    ['mismatched', () => writeFileSync(markdownPath(), `${readFileSync(markdownPath(), 'utf8')}more\n`)],
  ])('%s: the user sees what to run, the agent what not to do', async (state, spoil) => {
    await writeIndex()
    spoil()
    const check = await checkIndexPair(root)
    expect(check.state).toBe(state)
    expect(check.advice).toContain('The user should run `holdfast index`')
    expect(check.advice).toContain('do not explore broadly instead')
  })

  test('a link in its place is neither read nor written through', async () => {
    await writeIndex()
    const outside = join(cacheDir, 'outside.md')
    writeFileSync(outside, readFileSync(markdownPath()))
    rmSync(markdownPath())
    symlinkSync(outside, markdownPath())
    expect((await checkIndexPair(root)).state).toBe('missing')
    const before = readFileSync(jsonPath(), 'utf8')
    expect(() => writePair(root, { markdown: 'new', json: 'new' })).toThrow('is a symbolic link')
    expect([readFileSync(jsonPath(), 'utf8'), readFileSync(outside, 'utf8') === 'new']).toEqual([before, false])
  })

  test('when the second file cannot be written, the first is as it was', async () => {
    await writeIndex()
    rmSync(markdownPath())
    const before = readFileSync(jsonPath(), 'utf8')
    const failing: DurableFs = {
      ...realDurableFs,
      rename(from, to) {
        if (to === markdownPath()) throw new Error('disk full')
        realDurableFs.rename(from, to)
        if (to === jsonPath()) written.push(readFileSync(to, 'utf8'))
      },
    }
    const written: string[] = []
    expect(() => writePair(root, { markdown: 'new', json: 'new' }, failing)).toThrow('disk full')
    expect(written).toEqual(['new', before])
    expect(readFileSync(jsonPath(), 'utf8')).toBe(before)
    expect(readdirSync(root).filter((name) => name.endsWith('.tmp'))).toEqual([])
  })
})

describe('entities', () => {
  test('the registry is filled from the index, and again when there is another', async () => {
    const { symbolsOf } = createIndexReader()
    expect(await symbolsOf(root)).toEqual({ symbols: [] })
    write('src/store.ts', '// first\nexport class Store {\n  open() {}\n}\n')
    const index = await buildIndex(request())
    writePair(root, index)
    const told = await symbolsOf(root)
    expect(told).toEqual({
      generatedAt: index.meta.generated,
      symbols: [
        { name: 'Store', type: 'class', file: 'src/store.ts', line: 2 },
        { name: 'open', type: 'method', file: 'src/store.ts', line: 3 },
      ],
    })
    expect(await symbolsOf(root)).toBe(told)
    write('src/store.ts', 'export class Shop {}\n')
    writePair(root, await buildIndex(request()))
    expect((await symbolsOf(root)).symbols).toEqual([{ name: 'Shop', type: 'class', file: 'src/store.ts', line: 1 }])
  })

  test.each([
    '',
    '[]',
    '{"meta":{}}',
    '{"meta":{"generated":"soon"},"files":[]}',
    '{"meta":{"generated":"2026-01-02"},"files":3}',
  ])('an index that holds %j names nothing', async (json) => {
    writeFileSync(join(root, 'PROJECT_INDEX.json'), json)
    expect((await createIndexReader().symbolsOf(root)).symbols).toEqual([])
  })

  test('what is not a definition is left out of one that others wrote; a link is not followed', async () => {
    const files = [
      null,
      { path: 'a.ts' },
      { path: 'b.ts', symbols: [['B', 'class', 1], ['C', 'spell', 1], ['D', 'class', 0], 'E'] },
    ]
    const outside = join(cacheDir, 'outside.json')
    writeFileSync(outside, JSON.stringify({ meta: { generated: '2026-01-02T03:04:05.678Z' }, files }))
    symlinkSync(outside, join(root, 'PROJECT_INDEX.json'))
    expect((await createIndexReader().symbolsOf(root)).symbols).toEqual([])
    rmSync(join(root, 'PROJECT_INDEX.json'))
    writeFileSync(join(root, 'PROJECT_INDEX.json'), readFileSync(outside))
    expect((await createIndexReader().symbolsOf(root)).symbols).toEqual([
      { name: 'B', type: 'class', file: 'b.ts', line: 1 },
    ])
  })
})

describe('updating a pair automatically', () => {
  const markdownPath = () => join(root, 'PROJECT_INDEX.md')
  const jsonPath = () => join(root, 'PROJECT_INDEX.json')
  const later = { now: () => '2026-02-03T04:05:06.789Z' }
  const refresh = () => {
    const { maxChars: _maxChars, ...more } = request({ clock: later })
    return refreshPair(more)
  }
  const pair = () => [readFileSync(markdownPath(), 'utf8'), readFileSync(jsonPath(), 'utf8')]

  test('nothing is created where there is none', async () => {
    write('a.ts', 'export const a = 1\n')
    expect(await refresh()).toEqual({ outcome: 'left-alone', because: 'missing' })
    expect(readdirSync(root)).toEqual(['a.ts'])
  })

  test('it is written when the project changed, as long as it was asked for, and else left with its time', async () => {
    write('a.ts', 'export const a = 1\n')
    git('init', '-q')
    writeFileSync(join(root, '.gitignore'), 'PROJECT_INDEX.*\n')
    writePair(root, await buildIndex(request({ maxChars: 1_500 })))
    const before = pair()
    expect(await refresh()).toEqual({ outcome: 'unchanged' })
    expect(pair()).toEqual(before)
    write('b.ts', 'export const b = 1\n')
    const { outcome, index } = Object({ ...(await refresh()) })
    expect([outcome, index.parsed, index.meta.maxChars, index.meta.generated]).toEqual([
      'written',
      1,
      1_500,
      later.now(),
    ])
    expect(pair()).toEqual([index.markdown, index.json])
    expect(await checkIndexPair(root)).toMatchObject({ state: 'ok', generated: later.now() })
  })

  test('one that git tracks, that others wrote or that does not match is left as it is', async () => {
    write('a.ts', 'export const a = 1\n')
    git('init', '-q')
    const index = await buildIndex(request())
    writePair(root, index)
    git('add', 'PROJECT_INDEX.md')
    write('b.ts', 'export const b = 1\n')
    expect(await refresh()).toEqual({ outcome: 'left-alone', because: 'tracked' })
    git('rm', '-q', '--cached', 'PROJECT_INDEX.md')
    writeFileSync(jsonPath(), index.json.replace('"holdfast ', '"other '))
    expect(await refresh()).toEqual({ outcome: 'left-alone', because: 'foreign' })
    writeFileSync(markdownPath(), `${index.markdown}by hand\n`)
    expect(await refresh()).toEqual({ outcome: 'left-alone', because: 'mismatched' })
    expect(pair()).toEqual([`${index.markdown}by hand\n`, index.json.replace('"holdfast ', '"other ')])
  })
})
