import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TranscriptItem } from '../../src/kernel/event.ts'
import { readTranscriptFile, type TranscriptFile } from '../../src/harness/transcripts.ts'

/** What a transcript with this content says. */
export async function readTranscript(harness: string, content: string): Promise<TranscriptFile> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-sessions-'))
  try {
    const path = join(folder, 'transcript')
    writeFileSync(path, content)
    return await readTranscriptFile(path, harness)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export function asLines(records: readonly unknown[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('')
}

/** An item in a line, for tests that are about what was said and not about every field. */
export function brief(item: TranscriptItem): string {
  if (item.type === 'note') return JSON.stringify({ ...item.note, at: undefined })
  const { event } = item
  if (event.kind === 'tool-finished')
    return JSON.stringify({ ...event.tool, callId: undefined, outcome: event.outcome })
  if (event.kind === 'tool-started') return JSON.stringify({ started: event.tool.name, command: event.tool.command })
  return event.kind === 'prompt-submitted' ? `prompt: ${event.prompt.split('\n')[0]}` : event.kind
}
