import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getErrorMessage } from '../../src/kernel/errors.ts'
import { type TempDir, tempDir } from '../support/temp-dir.ts'
import { faultsOf } from './support/power-cut/check-image.ts'
import { FolderNode, type Sync } from './support/power-cut/disk-history.ts'
import { type Semantics, SEMANTICS, writeImage } from './support/power-cut/disk-image.ts'
import { whyNoRecording } from './support/power-cut/recorder.ts'
import { record, type Recording } from './support/power-cut/recording.ts'
import { type Phase, PHASES } from './support/power-cut/setup.ts'
import { createRandom, type Random, seededRandom } from './support/random.ts'

// Power cuts without a switch. The built daemon, hooks (launcher and Node client) and commands run once under one strace, which
// records every call that changes a file, a name or what is durable, with its bytes. From that trace the disk is rebuilt as it
// may look when the power goes at any line of it, and the product opens it. Everything acknowledged before the cut must be there.
//
// The model. A cut keeps everything that an fsync covers which had returned by then; an fsync covers the calls that had returned when
// it was entered. Of the rest each file loses all, nothing, the end, some of the writes, or some 512-byte sectors of them, whatever
// other files lose. Of the changes of names that are not durable a first part stays, of each folder by itself or of the whole disk:
// see `SEMANTICS` for the three kinds of file system. An event counts as acknowledged from the moment the daemon hands its answer to
// the kernel; a spooled one, and what a command writes, from the exit of its process.
//
// Its limits. fsync is trusted, and nothing moves across one. Memory that is mapped is not seen; only the `-shm` file is written so,
// which SQLite creates again and images lack. Modes and times of files are not modelled; a rename between folders is one step. Calls that
// change a followed file and are not modelled end the recording with an error, as does a disk that the trace does not explain.

const IMAGES = Number(process.env['FAULT_IMAGES'] ?? 210)
const CONTROL_IMAGES = 20

type Where = Phase | 'WAL checkpoint'
const WHERE: readonly Where[] = [...PHASES, 'WAL checkpoint']

interface Cuts {
  readonly count: number
  readonly semantics: readonly Semantics[]
  readonly where: readonly Where[]
  readonly syncs: readonly Sync[]
  readonly random: Random
}

function momentsOf({ moments, history }: Recording, where: Where): readonly number[] {
  return where === 'WAL checkpoint' ? history.databaseWrites.map(({ begin }) => begin) : (moments.get(where) ?? [])
}

async function faultsOrFailure(image: Parameters<typeof faultsOf>[0]): Promise<readonly string[]> {
  try {
    return await faultsOf(image)
  } catch (thrown) {
    return [`the image cannot be used: ${getErrorMessage(thrown)}`]
  }
}

/** What is wrong with each image, the first few sentences of it; an image with nothing wrong is left out. */
async function openImages(
  folder: string,
  recording: Recording,
  { count, semantics, where, syncs, random }: Cuts,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const { scene, history, acknowledgements } = recording
  const found: Record<string, readonly string[]> = {}
  for (let number = 0; number < count; number += 1) {
    const kind = semantics[number % semantics.length] ?? 'posix'
    const place = where[Math.floor(number / semantics.length) % where.length] ?? 'events'
    const at = random.pick(momentsOf(recording, place)) + random.int(0, 1)
    const seed = random.int(0, 0x7fff_ffff)
    const root = join(folder, `image-${number}`)
    mkdirSync(root)
    writeImage(history, { at, semantics: kind, random: createRandom(seed), syncs }, root)
    const acknowledged = acknowledgements.filter((one) => one.at < at)
    const faults = await faultsOrFailure({ root, scene, acknowledged })
    if (faults.length > 0) found[`${kind}, ${place}, line ${at} of the trace, lots ${seed}`] = faults.slice(0, 5)
    rmSync(root, { recursive: true })
  }
  return found
}

const whyNot = whyNoRecording()

describe.skipIf(whyNot !== undefined)(`power cuts${whyNot === undefined ? '' : `: skipped, ${whyNot}`}`, () => {
  let folder: TempDir
  let recording: Recording
  beforeAll(async () => {
    folder = tempDir()
    const startedMs = performance.now()
    recording = await record(folder.path)
    const { acknowledgements, history } = recording
    console.log(
      `recorded ${acknowledgements.length} acknowledgements, ${history.syncs.length} syncs,`,
      `${history.names.length} changes of names in ${Math.round((performance.now() - startedMs) / 1_000)} s`,
    )
  })
  afterAll(() => folder[Symbol.dispose]())

  test('the recording holds what it is for: answers, spooled events, memories, files, WAL checkpoints', () => {
    const { acknowledgements, scene, history } = recording
    const count = (prefix: string) => acknowledgements.filter(({ name }) => name.startsWith(prefix)).length
    expect(WHERE.filter((where) => momentsOf(recording, where).length === 0)).toEqual([])
    expect([...scene.attempted].filter((name) => !acknowledgements.some((one) => one.name === name))).toEqual([])
    expect([count('away '), count('memory '), count('file ')]).toEqual([8, 10, scene.files.size])
    const spooled = history.names.flatMap(({ entries }) =>
      entries.filter(({ folder: at, name }) => at === history.find(join(scene.home, 'spool')) && !name.startsWith('.')),
    )
    expect(spooled.filter(({ node }) => node !== undefined).length).toBeGreaterThanOrEqual(8)
    expect(new Set(history.syncs.map(({ path }) => path))).toContain(join(scene.home, 'data', 'holdfast.db'))
  })

  test(`${IMAGES} power cuts: what was acknowledged is there once, in order and whole, and the disk is written to again`, async () => {
    const random = seededRandom('power cuts')
    const startedMs = performance.now()
    const { syncs } = recording.history
    const cuts = { count: IMAGES, semantics: SEMANTICS, where: WHERE, syncs, random }
    const found = await openImages(folder.path, recording, cuts)
    console.log(
      `${IMAGES} images, ${Object.keys(found).length} with faults, ${Math.round((performance.now() - startedMs) / 1_000)} s`,
    )
    expect(found).toEqual({})
  })

  test('control: a disk that drops nine of ten syncs of the write-ahead log is found out', async () => {
    const random = seededRandom('power cuts, log not synced')
    const syncs = recording.history.syncs.filter(({ path }) => !path.endsWith('-wal') || random.chance(0.1))
    const cuts = { count: CONTROL_IMAGES, semantics: SEMANTICS, where: ['events', 'replay'], syncs, random } as const
    const found = await openImages(folder.path, recording, cuts)
    console.log(`${CONTROL_IMAGES} images, ${Object.keys(found).length} with faults, as there must be`)
    expect(JSON.stringify(found)).toContain('was acknowledged and is lost')
  })

  test('control: a disk that drops the syncs of folders loses what a new home was given', async () => {
    const random = seededRandom('power cuts, folders not synced')
    const syncs = recording.history.syncs.filter(({ node }) => !(node instanceof FolderNode))
    const cuts = { count: CONTROL_IMAGES, semantics: ['posix'], where: ['new home', 'events'], syncs, random } as const
    const found = await openImages(folder.path, recording, cuts)
    console.log(`${CONTROL_IMAGES} images, ${Object.keys(found).length} with faults, as there must be`)
    expect(JSON.stringify(found)).toContain('first of two was acknowledged and is lost')
  })
})
