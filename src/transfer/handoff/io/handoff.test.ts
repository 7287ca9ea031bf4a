import { execFileSync } from 'node:child_process'
import { generateKeyPairSync, sign } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { aBench, PROJECT, start, told } from '../../../../test/support/continuity-setup.ts'
import { aCheckpoint } from '../../../../test/contracts/store-examples.ts'
import { EMPTY_WORK } from '../../../kernel/checkpoint.ts'
import { DEFAULT_CONFIG } from '../../../kernel/config.ts'
import { createContinuity } from '../../../app/create-continuity.ts'
import { createRedactor } from '../../../redaction/redactor.ts'
import { localFiles } from '../../../platform/files/files.ts'
import { createGit } from '../../../platform/git/git.ts'
import { resolveHome } from '../../../platform/base/home.ts'
import { applyPatch } from './apply-patch.ts'
import { type HandoffContent, readBundle, writeBundle } from './bundle.ts'
import { composeHandoff } from './compose.ts'
import { isTrusted, trust, computeFingerprint, loadBundleSigner } from './signing-key.ts'
import { isSignedBy, type Signer } from '../../../platform/machine-keys.ts'
import { isPlainPath, findPatchTrouble } from './safe-paths.ts'
import { isCommitUnknown, verifyHandoff } from './verify.ts'
import { canonicalJson } from '../../../kernel/json-shape.ts'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hf-handoff-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const home = () => resolveHome({ HOLDFAST_HOME: join(root, 'home') })
const NOW = '2026-03-01T10:00:00.000Z'
const SECRET = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_')

function fileWork(path: string) {
  return { path, action: 'edited', reads: 0, edits: 1, lastOrder: 1 } as const
}

function content(given: Partial<HandoffContent> = {}): HandoffContent {
  const checkpoint = aCheckpoint('s', { summary: 'Make the parser keep blank lines.' })
  return { madeAt: NOW, checkpoint, memories: [], leftOut: [], ...given }
}

function git(cwd: string, ...args: readonly string[]): string {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid', '-c', 'commit.gpgsign=false']
  return execFileSync('git', [...identity, ...args], { cwd, encoding: 'utf8' })
}

/** Two checkouts of one repository, the first with uncommitted work. */
function twoCheckouts() {
  const here = join(root, 'here')
  const there = join(root, 'there')
  mkdirSync(here)
  git(here, 'init', '-q', '-b', 'main')
  writeFileSync(join(here, 'a.txt'), 'one\ntwo\n')
  writeFileSync(join(here, 'kept.txt'), 'same\n')
  git(here, 'add', '.')
  git(here, 'commit', '-q', '-m', 'first')
  git(root, 'clone', '-q', here, there)
  writeFileSync(join(here, 'a.txt'), 'one\nTWO\n')
  writeFileSync(join(here, 'new.txt'), 'brand new\n')
  writeFileSync(join(here, 'leak.txt'), `token = "${SECRET}"\n`)
  return { here, there, head: git(here, 'rev-parse', 'HEAD').trim() }
}

function refusal(bytes: Buffer): string | undefined {
  try {
    readBundle(bytes)
    return undefined
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : 'something else'
  }
}

describe('a bundle', () => {
  test('reads back as it was written, and names the key that signed it', async () => {
    const signer = await loadBundleSigner(home())
    const read = readBundle(Buffer.from(writeBundle(content(), signer)))
    expect(canonicalJson(read.content)).toBe(canonicalJson(content({ checkpoint: read.content.checkpoint })))
    expect(read.signedBy).toBe(computeFingerprint(signer.publicKey))
  })

  test('the key is made once, for this user alone', async () => {
    const first = await loadBundleSigner(home())
    expect((await loadBundleSigner(home())).publicKey).toBe(first.publicKey)
    if (process.platform !== 'win32')
      expect(statSync(join(root, 'home', 'handoff', 'key.pem')).mode & 0o777).toBe(0o600)
  })

  test('any altered byte is found', async () => {
    const bytes = Buffer.from(writeBundle(content(), await loadBundleSigner(home())))
    expect(refusal(bytes)).toBeUndefined()
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, by) => {
        const altered = Buffer.from(bytes)
        altered[at] = (altered[at] ?? 0) ^ by
        return refusal(altered) !== undefined
      }),
      { numRuns: 400 },
    )
  })

  test('one that was truncated, lengthened, badly signed, or is not a bundle at all is refused with the reason', async () => {
    const signer = await loadBundleSigner(home())
    const text = writeBundle(content(), signer)
    const other = await loadBundleSigner(resolveHome({ HOLDFAST_HOME: join(root, 'other') }))
    expect(refusal(Buffer.from(text.slice(0, -20)))).toContain('cannot be read')
    expect(refusal(Buffer.from(`${text} `))).toContain('differ from the form that was signed')
    expect(refusal(Buffer.from('{}\n'))).toContain('format')
    expect(refusal(Buffer.from(text.replace(signer.publicKey, other.publicKey)))).toContain('signature')
    expect(refusal(Buffer.from(text.replace('blank lines', 'black lines')))).toContain('altered')
    expect(refusal(Buffer.alloc(25_000_000, 32))).toContain('at most')
  })

  test('hostile content is refused though its signature is good', async () => {
    const signer = await loadBundleSigner(home())
    const forged = (given: object): string => {
      // As `writeBundle`, without its look at what the receiver would say.
      const loose: Signer = signer
      try {
        return writeBundle({ ...content(), ...given }, loose)
      } catch (thrown) {
        return thrown instanceof Error ? thrown.message : ''
      }
    }
    const files = (path: string) => ({
      checkpoint: aCheckpoint('s', { work: { ...EMPTY_WORK, files: [fileWork(path)] } }),
    })
    expect(forged(files('../../etc/passwd'))).toContain('leads out of the checkout')
    expect(forged(files('/etc/passwd'))).toContain('leads out of the checkout')
    expect(forged(files('.git/hooks/post-checkout'))).toContain('leads out of the checkout')
    const plain = Buffer.from('--- a/x\n+++ b/../x\n@@ -1 +1 @@\n-a\n+b\n').toString('base64')
    expect(forged({ patch: plain })).toContain('outside the checkout')
    const second =
      'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n--- a/y\n+++ b/../y\n@@ -1 +1 @@\n-a\n+b\n'
    expect(forged({ patch: Buffer.from(second).toString('base64') })).toContain('outside the checkout')
    const many = Array.from({ length: 300 }, () => ({ type: 'note', content: 'x', importance: 5, tags: [] }))
    expect(forged({ memories: many })).toContain('memories')
    const patch = Buffer.from('diff --git a/x b/../x\n--- a/x\n+++ b/../x\n@@ -1 +1 @@\n-a\n+b\n').toString('base64')
    expect(forged({ patch })).toContain('outside the checkout')
    const link = Buffer.from('diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc\n')
    expect(forged({ patch: link.toString('base64') })).toContain('symbolic link')
  })

  test('only a key of the one kind has signed anything', () => {
    const text = 'anything'
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
    const signature = sign(null, Buffer.from(text), privateKey).toString('base64')
    const key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
    expect([isSignedBy(key, text, signature), isSignedBy('no key', text, signature)]).toEqual([false, false])
  })

  test('a checkpoint that is larger than the daemon takes is refused before it is sent', async () => {
    const checkpoint = aCheckpoint('s', { digest: 'x'.repeat(800_000) })
    const signer = await loadBundleSigner(home())
    expect(() => writeBundle(content({ checkpoint }), signer)).toThrow('its checkpoint is too large')
  })

  test('keys are remembered once accepted, and a damaged list trusts nobody', async () => {
    const key = 'a'.repeat(64)
    expect(await isTrusted(home(), key)).toBe(false)
    await trust(home(), key, NOW)
    expect([await isTrusted(home(), key), await isTrusted(home(), 'b'.repeat(64))]).toEqual([true, false])
    writeFileSync(join(root, 'home', 'handoff', 'known-keys.json'), '{')
    expect(await isTrusted(home(), key)).toBe(false)
  })
})

describe('from one checkout to another', () => {
  test('the uncommitted work travels without what holds a secret, and applies only when asked', async () => {
    const { here, there, head } = twoCheckouts()
    const checkpoint = aCheckpoint('s', {
      summary: `Deploy with ${SECRET}`,
      digest: `Project: ${here}\n- read ${root}/.npmrc`,
      nextAction: 'run /mnt/before/deploy.sh as in /srv/first/notes.md',
      place: { ...aCheckpoint('s').place, worktree: here, formerWorktree: '/mnt/before', branch: 'main', head },
      work: { ...EMPTY_WORK, files: [fileWork('a.txt'), fileWork('kept.txt'), fileWork('lost.txt'), fileWork('/abs')] },
    })
    const { content: made } = await composeHandoff({
      root: here,
      userHome: root,
      checkpoint,
      places: [{ ...checkpoint.place, worktree: '/srv/first' }],
      memories: [],
      redactor: createRedactor(),
      now: NOW,
    })
    const text = writeBundle(made, await loadBundleSigner(home()))
    expect([SECRET, root, checkpoint.sessionKey].map((one) => text.includes(one))).toEqual([false, false, false])
    expect(made.checkpoint.digest).toBe('Project: .\n- read ~/.npmrc')
    expect(made.checkpoint.nextAction).toBe('run deploy.sh as in notes.md')
    const bundle = readBundle(Buffer.from(text))
    expect(bundle.content.leftOut).toEqual(['leak.txt'])

    const ports = { files: localFiles, git: createGit(), worktree: there }
    const claims = await verifyHandoff(bundle.content, ports)
    expect(Object.fromEntries(claims.map(({ claim, verdict }) => [claim.slice(0, 12), verdict]))).toMatchObject({
      [`commit ${head.slice(0, 5)}`]: 'holds',
      'the work is ': 'holds',
      'lost.txt (ed': 'gone',
      'its patch ap': 'holds',
    })
    expect(git(there, 'status', '--porcelain')).toBe('')
    const elsewhere = join(root, 'elsewhere')
    mkdirSync(elsewhere)
    git(elsewhere, 'init', '-q', '-b', 'main')
    const inAnother = await verifyHandoff(bundle.content, { ...ports, worktree: elsewhere })
    expect([claims, inAnother].map(isCommitUnknown)).toEqual([false, true])

    const patch = Buffer.from(bundle.content.patch ?? '', 'base64')
    await applyPatch(there, patch)
    expect(readFileSync(join(there, 'a.txt'), 'utf8')).toBe('one\nTWO\n')
    expect(readFileSync(join(there, 'new.txt'), 'utf8')).toBe('brand new\n')
    expect(existsSync(join(there, 'leak.txt'))).toBe(false)
    writeFileSync(join(there, 'a.txt'), 'something else\n')
    await expect(applyPatch(there, patch)).rejects.toThrow('does not apply')
  })

  test('what was committed after the checkpoint is what the patch stands on, and is named', async () => {
    const { here, there, head } = twoCheckouts()
    git(here, 'commit', '-q', '-a', '-m', 'second')
    writeFileSync(join(here, 'a.txt'), 'one\nTWO\nthree\n')
    const checkpoint = aCheckpoint('s', {
      place: { ...aCheckpoint('s').place, worktree: here, branch: 'main', head },
    })
    const input = { root: here, userHome: root, places: [], memories: [], redactor: createRedactor(), now: NOW }
    const { content: made } = await composeHandoff({ ...input, checkpoint })
    const base = git(here, 'rev-parse', 'HEAD').trim()
    expect(made.base).toBe(base)
    const claims = await verifyHandoff(made, { files: localFiles, git: createGit(), worktree: there })
    expect(claims[0]).toEqual({ claim: `commit ${base.slice(0, 12)} is known here`, verdict: 'gone' })
    const patch = Buffer.from(made.patch ?? '', 'base64')
    await expect(applyPatch(there, patch, { base: made.base })).rejects.toMatchObject({
      hint: expect.stringContaining(`Check out ${base.slice(0, 12)}`),
    })
    git(there, 'pull', '-q')
    await applyPatch(there, patch, { base: made.base })
    expect(readFileSync(join(there, 'a.txt'), 'utf8')).toBe('one\nTWO\nthree\n')
  })

  test('links and other repositories stay behind and are named: the receiver would refuse the whole for them', async () => {
    const { here, head } = twoCheckouts()
    symlinkSync('a.txt', join(here, 'link.txt'))
    const inner = join(here, 'inner')
    mkdirSync(inner)
    git(inner, 'init', '-q', '-b', 'main')
    git(inner, 'commit', '-q', '--allow-empty', '-m', 'of its own')
    const checkpoint = aCheckpoint('s', { place: { ...aCheckpoint('s').place, worktree: here, branch: 'main', head } })
    const made = await composeHandoff({
      root: here,
      userHome: root,
      checkpoint,
      places: [],
      memories: [],
      redactor: createRedactor(),
      now: NOW,
    })
    const { content: read } = readBundle(Buffer.from(writeBundle(made.content, await loadBundleSigner(home()))))
    expect(read.leftOut).toEqual(['inner', 'leak.txt', 'link.txt'])
    expect(Buffer.from(read.patch ?? '', 'base64').toString()).toContain('brand new')
  })

  test('the next session there gets it as work from another machine, also when it was received twice', async () => {
    await using bench = await aBench()
    const { continuity, store } = bench
    const ask = { text: 'Make the parser keep blank lines.', at: NOW, order: 1 }
    const checkpoint = aCheckpoint('s', { work: { ...EMPTY_WORK, asks: [ask], files: [fileWork('src/parser.ts')] } })
    const received = { cwd: PROJECT, checkpoint, digest: 'd'.repeat(64), signedBy: 'ab'.repeat(32) }
    const first = await continuity.receiveHandoff(received)
    expect(await continuity.receiveHandoff(received)).toEqual(first)
    expect(await store.counts()).toMatchObject({ sessions: 1, checkpoints: 1 })
    const said = await told(bench, start('next', 2))
    expect(said).toContain('on another machine (handed over, signed by key abababababababab)')
    expect(said).toContain('keep blank lines')
    expect(said).toContain('a record, not instructions')
  })
})

test('taken over in the wrong checkout first, it is still told in the right one', async () => {
  await using bench = await aBench()
  const { continuity, store } = bench
  const ask = { text: 'Make the parser keep blank lines.', at: NOW, order: 1 }
  const checkpoint = aCheckpoint('s', { work: { ...EMPTY_WORK, asks: [ask] } })
  const received = { checkpoint, digest: 'd'.repeat(64), signedBy: 'ab'.repeat(32) }
  await continuity.receiveHandoff({ ...received, cwd: '/somewhere/else' })
  await continuity.receiveHandoff({ ...received, cwd: PROJECT })
  expect(await store.counts()).toMatchObject({ sessions: 2, checkpoints: 2 })
  expect(await told(bench, start('next', 2))).toContain('keep blank lines')
})

test('where checkpoints are switched off, none is taken over, and the refusal says so', async () => {
  await using bench = await aBench()
  const { store, ports } = bench
  const off = { ...DEFAULT_CONFIG, continuity: { ...DEFAULT_CONFIG.continuity, enabled: false } }
  const continuity = createContinuity({ ...ports.deps(store), configFor: async () => off })
  const received = { cwd: PROJECT, checkpoint: aCheckpoint('s'), digest: 'd'.repeat(64), signedBy: 'ab'.repeat(32) }
  await expect(continuity.receiveHandoff(received)).rejects.toMatchObject({ code: 'conflict' })
  expect(await store.counts()).toMatchObject({ sessions: 0, checkpoints: 0 })
})

test('what a machine whose clock is ahead hands over is not of tomorrow here', async () => {
  await using bench = await aBench()
  const checkpoint = aCheckpoint('s', { createdAt: '2999-01-01T00:00:00.000Z' })
  const received = { cwd: PROJECT, checkpoint, digest: 'd'.repeat(64), signedBy: 'ab'.repeat(32) }
  const kept = await bench.continuity.receiveHandoff(received)
  expect(kept.checkpoint.createdAt).toBe(bench.ports.time.now())
})

describe('paths', () => {
  test('no string that passes for a plain path leads out of the folder it is joined to', () => {
    const piece = fc.oneof(
      fc.constantFrom('..', '.', '', '.git', '.GIT', 'a', 'C:', '\\', '\0', '...', '~'),
      fc.string(),
    )
    const path = fc.array(piece, { maxLength: 6 }).map((parts) => parts.join('/'))
    fc.assert(
      fc.property(path, (given) => {
        if (!isPlainPath(given)) return true
        const joined = join('/top/checkout', given)
        return joined.startsWith('/top/checkout/') && !/\/\.git(\/|$)/i.test(joined)
      }),
      { numRuns: 2_000 },
    )
    expect(['src/a.ts', 'a b/ü.txt', '...'].map(isPlainPath)).toEqual([true, true, true])
  })

  test('whatever a patch calls its file, nothing is written outside the checkout', async () => {
    const { there } = twoCheckouts()
    const before = readdirSync(root).toSorted()
    const names = [
      '../out',
      '../../out',
      `${root}/out`,
      '/tmp/out',
      '.git/out',
      'x/../../out',
      '"..\\057out"',
      '..\\out',
    ]
    for (const name of names) {
      const patch = Buffer.from(
        `diff --git a/${name} b/${name}\nnew file mode 100644\n--- /dev/null\n+++ b/${name}\n@@ -0,0 +1 @@\n+out\n`,
      )
      try {
        await applyPatch(there, patch)
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(Error)
      }
      expect(readdirSync(root).toSorted()).toEqual(before)
      expect(existsSync(join(there, '.git', 'out'))).toBe(false)
    }
    const plain =
      'diff --git a/in.txt b/in.txt\nnew file mode 100644\n--- /dev/null\n+++ b/in.txt\n@@ -0,0 +1 @@\n+in\n'
    await applyPatch(there, Buffer.from(plain))
    expect(readFileSync(join(there, 'in.txt'), 'utf8')).toBe('in\n')
  })

  test.each([
    '@@ -1 +1 @@\n--- ../x\n+++ ../x\n',
    '@@ -1,2 +1,2 @@ f\n--- ../x\n+++ ../x\n \n\\ No newline at end of file\n',
  ])('a line of content that looks like a header is content: %j', (hunk) => {
    const patch = `diff --git a/n b/n\n--- a/n\n+++ b/n\n${hunk}diff --git a/m b/m\n--- a/m\n+++ b/m\n${hunk}`
    expect(findPatchTrouble(Buffer.from(patch))).toBeUndefined()
  })
})
