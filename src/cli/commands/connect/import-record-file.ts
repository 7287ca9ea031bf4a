import type { Continuity } from '../../../app/continuity.ts'
import { DataRecordSchema } from '../../../api/records.ts'
import { readRecordFile, refuseNewer } from '../../../transfer/records/io/record-file.ts'
import { confirm } from '../../setup/setup-ports.ts'
import type { CliContext, ExitCode } from '../../shared/command.ts'
import { count, printJson, printLine } from '../../shared/output.ts'

/** Below the daemon's limit for one request. */
const BATCH_CHARS = 300_000
const BATCH_RECORDS = 200

type ImportInput = Parameters<Continuity['importRecords']>[0]
type ImportAnswer = Awaited<ReturnType<Continuity['importRecords']>>
type SkippedInAnswer = NonNullable<ImportAnswer['skippedErasures']>
interface SizedRecord {
  readonly record: unknown
  readonly chars: number
}

/** Sums what the daemon answered to all requests. */
class RecordSender {
  stored = 0
  known = 0
  refused = 0
  readonly authors = new Map<string, string>()
  readonly newMachines = new Map<string, string>()
  readonly #continuity: Continuity

  constructor(continuity: Continuity) {
    this.#continuity = continuity
  }

  /** Returns the erasures that were not applied. */
  async send(
    records: Iterable<SizedRecord> | AsyncIterable<SizedRecord>,
    acceptErasures: boolean,
  ): Promise<readonly SkippedInAnswer[]> {
    const skipped: SkippedInAnswer[] = []
    let batch: unknown[] = []
    let size = 0
    const flush = async () => {
      // The daemon parses each record by its schema.
      const given = batch as ImportInput['records']
      batch = []
      size = 0
      if (given.length === 0) return
      const answer = await this.#continuity.importRecords({ records: given, ...(acceptErasures && { acceptErasures }) })
      this.stored += answer.stored
      this.known += answer.known
      this.refused += answer.refused
      for (const { id, name } of answer.authors) this.authors.set(id, name)
      for (const { id, name } of answer.newMachines) this.newMachines.set(id, name)
      if (answer.skippedErasures !== undefined) skipped.push(answer.skippedErasures)
    }
    for await (const { record, chars } of records) {
      if (batch.length === BATCH_RECORDS || size + chars > BATCH_CHARS) await flush()
      batch.push(record)
      size += chars
    }
    await flush()
    return skipped
  }
}

/** A thing that erasures of two requests name counts twice. */
function sumSkipped(all: readonly SkippedInAnswer[]): SkippedInAnswer {
  const sum = (name: 'unknown' | 'invalid' | 'sessions' | 'memories' | 'rules') =>
    all.reduce((total, one) => total + one[name], 0)
  return {
    unknown: sum('unknown'),
    invalid: sum('invalid'),
    machines: [...new Set(all.flatMap(({ machines }) => machines))],
    sessions: sum('sessions'),
    memories: sum('memories'),
    rules: sum('rules'),
  }
}

function describeUnknown({ unknown, machines, sessions, memories, rules }: SkippedInAnswer): string {
  const here = [count(sessions, 'session'), count(memories, 'memory', 'memories'), count(rules, 'rule')].join(', ')
  const [verb, was] = [unknown === 1 ? 'deletes' : 'delete', machines.length === 1 ? 'was' : 'were']
  return `${count(unknown, 'erasure')} in this file ${verb} ${here} here. The ${machines.length === 1 ? 'machine' : 'machines'} that signed (${machines.join(', ')}) ${was} not known here before.`
}

interface RecordImportOptions {
  readonly isJson: boolean
  /** Erases what machines erased that were not known here before. */
  readonly acceptsErasures: boolean
}

/** `holdfast import` of a file that `holdfast export` wrote: checked as a whole before anything is stored. */
export async function importRecordFile(
  path: string,
  context: CliContext,
  { isJson, acceptsErasures }: RecordImportOptions,
): Promise<ExitCode> {
  const { io } = context
  const tombstones: SizedRecord[] = []
  let records = 0
  for await (const one of readRecordFile(path)) {
    records += 1
    // Before the first one is stored: the daemon would refuse it in the middle of the file.
    if (!DataRecordSchema.safeParse(one.record).success)
      refuseNewer(path, `a record (${one.record.kind}) in line ${one.line}`)
    if (one.record.kind === 'tombstone') tombstones.push(one)
  }
  const sender = new RecordSender(await context.continuity())
  // First, so that no machine is known only because this file names it.
  let left = sumSkipped(await sender.send(tombstones, acceptsErasures))
  if (left.unknown > 0 && io.isInteractive && !isJson) {
    printLine(io, describeUnknown(left))
    if (await confirm(context, 'Erase this for good?')) left = sumSkipped(await sender.send(tombstones, true))
  }
  // A machine whose erasures were left out stays unknown, so that the same file does not erase the next time.
  const isLeftOut = ({ kind, value }: { readonly kind: string; readonly value: unknown }) =>
    kind === 'tombstone' || (kind === 'machine' && left.machines.includes(String(Object(value).id)))
  async function* readOthers(): AsyncGenerator<SizedRecord> {
    for await (const one of readRecordFile(path)) if (!isLeftOut(one.record)) yield one
  }
  await sender.send(readOthers(), false)
  const { stored, known, refused, authors, newMachines } = sender
  if (isJson) {
    const toList = (names: ReadonlyMap<string, string>) => [...names].map(([id, name]) => ({ id, name }))
    printJson(io, {
      file: path,
      records,
      stored,
      known,
      refused,
      skippedErasures: left,
      authors: toList(authors),
      newMachines: toList(newMachines),
    })
    return 0
  }
  const erased = refused === 0 ? '' : `; ${refused} were erased before and are not stored again`
  printLine(io, `Stored ${count(stored, 'record')} of ${records}; ${known} were known${erased}.`)
  if (left.unknown > 0) {
    printLine(io, `Skipped: ${describeUnknown(left)}`)
    printLine(io, 'If you erased it there: run the command again with `--accept-erasures`.')
  }
  if (left.invalid > 0)
    printLine(io, `Skipped: ${count(left.invalid, 'erasure')} without a valid signature of its machine.`)
  for (const [id, name] of newMachines)
    printLine(io, `New machine of yours: ${name} (${id}). Its erasures apply here from now on.`)
  for (const [id, name] of authors)
    printLine(
      io,
      `The file contains work of ${name}, another person. If that is you: \`holdfast config set store.person ${id}\`.`,
    )
  return 0
}
