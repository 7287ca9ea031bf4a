import { clip } from '../../kernel/text/text.ts'

const STUB =
  /\b(?:TODO|FIXME|XXX)\b|\bnot[ _-]?(?:yet[ _-]?)?implemented\b|\bNotImplemented(?:Error|Exception)?\b|\b(?:unimplemented|todo)!\(|\bplaceholder\b|\breplace[ -]me\b|\bstub(?:bed)?\b/i
const MAX_LINE_CHARS = 2_000

export interface Stub {
  /** 1-based. */
  readonly line: number
  readonly text: string
}

/** The first line of a source that says itself it is not finished. */
export function findStub(source: string): Stub | undefined {
  const lines = source.split('\n')
  const index = lines.findIndex((line) => line.length <= MAX_LINE_CHARS && STUB.test(line))
  return index < 0 ? undefined : { line: index + 1, text: clip(lines[index] ?? '', 80) }
}
