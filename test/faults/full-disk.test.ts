import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ClaudeSession } from '../support/claude-session.ts'
import { injectedBy, waitUntil, PATIENT } from '../support/product.ts'
import { BoxedProduct, CAN_BOX } from './support/boxed-product.ts'
import { PATIENCE_MS } from './support/daemon.ts'

const GOAL = 'Make the parser keep blank lines.'
/** Answers count here, however slow the machine is. */

interface Listed {
  readonly seq: number
  readonly event: { readonly id: string; readonly kind: string; readonly sessionKey: string; readonly prompt?: string }
}

async function eventsOf(product: BoxedProduct): Promise<readonly Listed[]> {
  const events = await product.json(['events', 'list', '--limit', '1000'])
  if (!Array.isArray(events)) throw new Error('not a list')
  return events
}

/** A box whose home holds one session that has done something and ended. */
async function boxWithWork(): Promise<{ product: BoxedProduct; project: string; first: ClaudeSession }> {
  const product = await BoxedProduct.with(8)
  await product.connect()
  const project = await product.aProject('app')
  const first = new ClaudeSession(product, project, { pid: product.anAgent(), env: PATIENT })
  await first.start()
  await first.prompt(GOAL)
  await first.edit('src/parser.ts', 'text.split', 'splitLines(text)')
  await first.say('The parser is half done.')
  await first.end()
  await waitUntil(
    async () =>
      JSON.stringify(await product.json(['checkpoints', 'list', '--session', first.id])).includes('session_end'),
    'the session has its last checkpoint',
    PATIENCE_MS,
  )
  return { product, project, first }
}

/** Until nothing is left, whatever the product lets go of meanwhile. */
async function fillToTheBrim(product: BoxedProduct): Promise<void> {
  await waitUntil(
    () => {
      product.fillDisk()
      return product.freeBytes() === 0
    },
    'the disk is full',
    PATIENCE_MS,
  )
}

const ballastOf = (product: BoxedProduct) => product.inside(join(product.home, 'data', 'ballast'))

/** As if an earlier full disk had used it up. */
async function giveUpBallast(product: BoxedProduct): Promise<void> {
  await waitUntil(() => existsSync(ballastOf(product)), 'space is set aside', PATIENCE_MS)
  rmSync(ballastOf(product))
}

const silent = { code: 0, stdout: '', stderr: '' }
const unless = CAN_BOX ? '' : ' (skipped: no mounts in a namespace of our own here)'

test.skipIf(!CAN_BOX)(
  `a full disk: hooks exit 0, reads work, nothing kept is lost, and writing goes on once there is room${unless}`,
  async () => {
    const box = await boxWithWork()
    await using product = box.product
    const { project, first } = box
    const before = await eventsOf(product)
    await giveUpBallast(product)
    await fillToTheBrim(product)

    const second = new ClaudeSession(product, project, { pid: product.anAgent(), env: PATIENT })
    expect(await second.fire('SessionStart', { source: 'startup' })).toMatchObject({ code: 0, stderr: '' })
    // More than the rest of a page of the write-ahead log can take.
    for (const prompt_id of ['p1', 'p2', 'p3'])
      expect(await second.fire('UserPromptSubmit', { prompt: 'x'.repeat(9_000), prompt_id })).toEqual(silent)
    expect(await second.fire('SessionEnd', { reason: 'other' })).toEqual(silent)
    expect(JSON.stringify(await product.json(['sessions', 'list'], { cwd: project }))).toContain(first.id)
    expect((await eventsOf(product)).slice(0, before.length)).toEqual(before)

    const status = await product.cli(['daemon', 'status', '--json'])
    expect([status.code, JSON.parse(status.stdout)]).toMatchObject([1, { status: 'degraded', store: 'read-only' }])
    const doctor = await product.cli(['doctor'], { cwd: project })
    expect(doctor.code).toBe(1)
    expect(doctor.stdout).toMatch(new RegExp(`✗ home {2}${product.home} cannot be written: the disk is full`))

    product.makeRoom()
    const third = new ClaudeSession(product, project, { pid: product.anAgent(), env: PATIENT })
    expect(await third.start()).toContain(GOAL)
    await third.prompt('There is room again.')
    const after = await eventsOf(product)
    expect(after.slice(0, before.length)).toEqual(before)
    expect(after.filter(({ event }) => event.prompt === 'There is room again.')).toHaveLength(1)
    expect(await product.json(['daemon', 'status'])).toMatchObject({ status: 'ok', store: 'ok' })
    expect(after.map(({ seq }) => seq)).toEqual(after.map((_, index) => index + 1))
    expect(new Set(after.map(({ event }) => event.id)).size).toBe(after.length)
  },
)

test.skipIf(!CAN_BOX)(`on a full disk the next session gets the recovery of the last one${unless}`, async () => {
  const box = await boxWithWork()
  await using product = box.product
  product.fillDisk()
  const second = new ClaudeSession(product, box.project, { pid: product.anAgent(), env: PATIENT })
  const started = await second.fire('SessionStart', { source: 'startup' })
  expect(injectedBy(started)).toContain(GOAL)
})

test.skipIf(!CAN_BOX)(`a full disk and no daemon: one starts for reading, and the hook exits 0${unless}`, async () => {
  const box = await boxWithWork()
  await using product = box.product
  const { project, first } = box
  product.fillDisk()
  await product.killDaemon()
  const second = new ClaudeSession(product, project, { pid: product.anAgent() })
  expect(await second.fire('UserPromptSubmit', { prompt: 'Go on.' })).toEqual(silent)
  expect(JSON.stringify(await product.json(['sessions', 'list'], { cwd: project }))).toContain(first.id)
  product.makeRoom()
  await second.prompt('There is room again.')
  await waitUntil(
    async () => (await eventsOf(product)).some(({ event }) => event.prompt === 'There is room again.'),
    'the prompt is kept',
    PATIENCE_MS,
  )
  const running = (await product.cli(['daemon', 'status', '--json'])).stdout
  await waitUntil(
    () => running.includes(`"pid": ${product.daemonPid()},`),
    'the daemon that started without room says where it is',
    PATIENCE_MS,
  )
})

test.skipIf(!CAN_BOX)(
  `events lost on a full disk are reported: to the next session once, by status and doctor until the record is deleted${unless}`,
  async () => {
    const box = await boxWithWork()
    await using product = box.product
    const { project } = box
    const ballast = ballastOf(product)
    await waitUntil(() => existsSync(ballast), 'space is set aside', PATIENCE_MS)
    await fillToTheBrim(product)
    await product.killDaemon()
    // The first one is kept in the space that was set aside for it, and somebody else takes the rest of that.
    const second = new ClaudeSession(product, project, { pid: product.anAgent() })
    expect(await second.fire('UserPromptSubmit', { prompt: 'Kept in the ballast.', prompt_id: 'p0' })).toEqual(silent)
    expect(existsSync(ballast)).toBe(false)
    await fillToTheBrim(product)
    for (let n = 1; n <= 12; n += 1) {
      const fields = { prompt: 'x'.repeat(9_000), prompt_id: `p${n}` }
      expect(await second.fire('UserPromptSubmit', fields)).toEqual(silent)
    }
    const told =
      /Holdfast: (\d+) hook events were lost of session ([\w-]+) between \S+ and \S+ because the disk was full\./
    expect((await product.cli(['status'], { cwd: project })).stdout).toMatch(/12 hook events from \S+ to \S+/)

    product.makeRoom()
    const third = new ClaudeSession(product, project, { pid: product.anAgent(), env: PATIENT })
    const injected = await third.start()
    expect([told.exec(injected)?.[1], told.exec(injected)?.[2]]).toEqual(['12', second.id])
    expect(injected).toContain(GOAL)
    const file = join(product.home, 'data', 'lost-hooks')
    await waitUntil(() => readFileSync(product.inside(file), 'utf8').trim() === '', 'it was reported', PATIENCE_MS)
    const fourth = new ClaudeSession(product, project, { pid: product.anAgent(), env: PATIENT })
    expect(await fourth.start()).not.toMatch(told)
    const said = /lost because the disk was full: 12 hook events from \S+ to \S+/
    const doctor = await product.cli(['doctor'], { cwd: project })
    expect([(await product.cli(['status'], { cwd: project })).stdout, doctor.stdout]).toEqual([
      expect.stringMatching(said),
      expect.stringMatching(said),
    ])
    const events = await eventsOf(product)
    expect(events.filter(({ event }) => event.prompt === 'Kept in the ballast.')).toHaveLength(1)
    await waitUntil(() => existsSync(ballast), 'space is set aside again', PATIENCE_MS)

    const quarantine = product.inside(join(product.home, 'quarantine'))
    for (const name of readdirSync(quarantine)) rmSync(join(quarantine, name))
    expect((await product.cli(['status'], { cwd: project })).stdout).not.toContain('lost because')
  },
)

test.skipIf(!CAN_BOX)(`control: the same box with room keeps what the full one could not${unless}`, async () => {
  const box = await boxWithWork()
  await using product = box.product
  const second = new ClaudeSession(product, box.project, { pid: product.anAgent(), env: PATIENT })
  await second.fire('UserPromptSubmit', { prompt: 'x'.repeat(9_000), prompt_id: 'p1' })
  expect((await eventsOf(product)).filter(({ event }) => event.sessionKey === second.id)).toHaveLength(1)
})
