import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../platform/base/clock.ts'
import { createExtractor, type Extractor } from './extract.ts'
import { detectLanguage } from './languages.ts'
import { type ParseBatch, type ParsedFile, READY, type WorkerSetup } from './parse-pool.ts'
import { createSourceReader } from './read-source.ts'
import { NO_FACTS } from './symbol.ts'

type ReadSource = ReturnType<typeof createSourceReader>

async function parseFile(
  readSource: ReadSource,
  extractor: Extractor,
  { path, file, knownHash, isInspected }: ParseBatch['files'][number],
): Promise<ParsedFile> {
  const source = readSource(file)
  const language = detectLanguage(path)
  if (source === undefined || language === undefined) return { path }
  const { contentHash, text } = source
  if (isInspected === true) {
    const code = text === undefined ? undefined : await extractor.inspect(text, language)
    return { path, contentHash, ...(code !== undefined && { code }) }
  }
  if (contentHash === knownHash) return { path, contentHash }
  return { path, contentHash, facts: text === undefined ? NO_FACTS : await extractor.extract(text, language) }
}

async function main(setup: WorkerSetup): Promise<void> {
  const extractor = await createExtractor({
    builtFile: (name) => join(setup.grammarsDir, name),
    monotonicMs: () => systemClock.monotonicMs(),
  })
  const readSource = createSourceReader()
  parentPort?.on('message', (batch: ParseBatch) => {
    void (async () => {
      const parsed: ParsedFile[] = []
      for (const file of batch.files) parsed.push(await parseFile(readSource, extractor, file))
      parentPort?.postMessage(parsed, [])
    })()
  })
  parentPort?.postMessage(READY, [])
}

await main(workerData)
