import { readFileSync } from 'node:fs'

/**
 * In the environment of everything a run starts. Children inherit it, whatever session or group they move to, so that a
 * process that left its parent behind is still known. An empty value says: of no run, though started from one.
 */
export const RUN_MARK = 'HOLDFAST_RUN_ID'

const SEPARATOR = ':'

/** A run inside a run carries both marks: the outer one ends the inner one's processes too. */
export function joinMarks(outer: string | undefined, runId: string): string {
  return outer === undefined || outer === '' ? runId : `${outer}${SEPARATOR}${runId}`
}

function valueIn(environ: Buffer, name: string): string | undefined {
  const wanted = `${name}=`
  const entry = environ
    .toString('latin1')
    .split('\0')
    .find((line) => line.startsWith(wanted))
  return entry?.slice(wanted.length)
}

/** Whether a process says it belongs to this run, says it belongs to none, or says nothing. Linux only; elsewhere nothing. */
export function markedFor(pid: number, runId: string): 'this' | 'none' | undefined {
  try {
    const value = valueIn(readFileSync(`/proc/${pid}/environ`), RUN_MARK)
    if (value === '') return 'none'
    return value?.split(SEPARATOR).includes(runId) === true ? 'this' : undefined
  } catch {
    // Ended meanwhile, or no /proc, or not for us to read.
    return undefined
  }
}
