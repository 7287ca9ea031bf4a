import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ClaudeSession } from '../support/claude-session.ts'
import { PATIENT, Product, type Ran } from '../support/product.ts'

/** Shaped like a GitHub token, put together here so that no scanner takes this file for a leak. */
const SECRET = ['ghp', 'R7mQ2xVb9LkT4wZc8NpY3sHd6JfG1aE5uXo0'].join('_')
const GOAL = 'Make the parser keep blank lines as separators.'
const FAILURE = 'AssertionError: expected 2 to be 3'
const PARSER = 'export const parse = (text: string) => text.split(/\\n{2,}/)\n'

const Bundle = z.looseObject({ content: z.looseObject({ patch: z.string() }) })
const Exported = z.looseObject({ key: z.string(), hasPatch: z.boolean(), leftOut: z.array(z.string()) })
const Imported = z.looseObject({
  checkpointId: z.string(),
  key: z.string(),
  isApplied: z.boolean(),
  memories: z.number(),
  claims: z.array(z.object({ claim: z.string(), verdict: z.string() })),
})

/** One person's machine: a home, a connected harness, a checkout. */
class Machine implements AsyncDisposable {
  private constructor(
    readonly product: Product,
    readonly checkout: string,
  ) {}

  static async create(checkout: (product: Product) => Promise<string>): Promise<Machine> {
    // The content matters here, not the latency: bench/ measures that.
    const product = new Product(PATIENT)
    try {
      await product.connect()
      return new Machine(product, await checkout(product))
    } catch (error) {
      await product[Symbol.asyncDispose]()
      throw error
    }
  }

  git(...args: readonly string[]): Promise<Ran> {
    const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid']
    return this.product.run('git', [...identity, ...args], { cwd: this.checkout })
  }

  cli(...args: readonly string[]): Promise<Ran> {
    return this.product.cli(args, { cwd: this.checkout })
  }

  write(path: string, content: string): void {
    writeFileSync(join(this.checkout, path), content)
  }

  read(path: string): string {
    return readFileSync(join(this.checkout, path), 'utf8')
  }

  session(): ClaudeSession {
    return new ClaudeSession(this.product, this.checkout, { pid: this.product.anAgent() })
  }

  sessions(): Promise<unknown> {
    return this.product.json(['sessions', 'list', '--all'])
  }

  filesHolding(text: string): readonly string[] {
    return readdirSync(this.product.home, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => readFileSync(file).includes(text))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.product[Symbol.asyncDispose]()
  }
}

/** Three files of the session are committed; the parser and a file with a secret are not. Gives the bundle's path. */
async function workAndExport(here: Machine): Promise<{ bundle: string; exported: z.infer<typeof Exported> }> {
  const session = here.session()
  await session.start()
  await session.prompt(`${GOAL} The token is ${SECRET}.`)
  for (const name of ['same', 'altered', 'lost']) {
    here.write(`src/${name}.ts`, `export const ${name} = 1\n`)
    await session.edit(`src/${name}.ts`, '', `export const ${name} = 1`)
  }
  await here.git('add', '.')
  await here.git('commit', '-qm', 'second')
  here.write('src/parser.ts', PARSER)
  await session.edit('src/parser.ts', 'text.split', PARSER)
  here.write('src/token.ts', `export const token = '${SECRET}'\n`)
  await session.edit('src/token.ts', '', `export const token = '${SECRET}'`)
  await session.bash('npm test -- parser', { error: `Exit code 1\n${FAILURE}\nwith ${SECRET}` })
  await session.say('The parser test still fails.')
  await session.end()
  const bundle = join(here.product.dir, 'work.handoff')
  const ran = await here.cli('handoff', 'export', bundle, '--json')
  expect(ran).toMatchObject({ code: 0 })
  return { bundle, exported: Exported.parse(JSON.parse(ran.stdout)) }
}

function cloneOf(here: Machine) {
  return async (product: Product): Promise<string> => {
    const checkout = join(product.dir, 'elsewhere')
    const ran = await product.run('git', ['clone', '-q', here.checkout, checkout])
    if (ran.code !== 0) throw new Error(`git clone: ${ran.stderr}`)
    return checkout
  }
}

describe('a handoff that changes settings of tools', () => {
  test('is applied only where that is allowed by name; accepting its key does not allow it', async () => {
    await using here = await Machine.create((product) => product.aProject('app'))
    const { bundle } = await workAndExport(here)
    here.write('.mcp.json', '{ "mcpServers": { "y": { "command": "sh" } } }\n')
    expect(await here.cli('handoff', 'export', bundle, '--yes')).toMatchObject({ code: 0 })
    await using there = await Machine.create(cloneOf(here))
    const refused = await there.cli('handoff', 'import', bundle, '--apply', '--yes')
    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toContain('.mcp.json')
    expect(refused.stderr).toContain('--allow-settings')
    expect(there.read('src/parser.ts')).not.toBe(PARSER)
    // Nothing of a refused bundle is stored, its key included.
    expect(await there.cli('handoff', 'import', bundle)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is unknown'),
    })
    const allowed = await there.cli('handoff', 'import', bundle, '--apply', '--yes', '--allow-settings')
    expect(allowed).toMatchObject({ code: 0 })
    expect(allowed.stdout).toContain('.mcp.json')
    expect(there.read('.mcp.json')).toContain('"y"')
  })
})

describe('a handoff from one machine to another', () => {
  test('claims are unchanged, changed or missing; the patch applies on request; the next session there gets the state', async () => {
    await using here = await Machine.create((product) => product.aProject('app'))
    const { bundle, exported } = await workAndExport(here)
    expect(exported).toMatchObject({ hasPatch: true, leftOut: ['src/token.ts'] })
    const text = readFileSync(bundle, 'utf8')
    expect(text).not.toContain(SECRET)
    const patch = Buffer.from(Bundle.parse(JSON.parse(text)).content.patch, 'base64').toString('utf8')
    expect(patch).toContain('src/parser.ts')
    expect(patch).not.toContain(SECRET)
    expect(text).not.toContain(here.product.dir)
    expect(here.filesHolding(SECRET)).toEqual([])

    await using there = await Machine.create(cloneOf(here))
    there.write('src/altered.ts', 'export const altered = 2\n')
    rmSync(join(there.checkout, 'src', 'lost.ts'))

    // A key that nobody has accepted: nothing is kept.
    const stranger = await there.cli('handoff', 'import', bundle, '--json')
    expect(stranger.code).not.toBe(0)
    expect(stranger.stdout).toContain(exported.key)
    // A few characters of the right key are not enough.
    const few = await there.cli('handoff', 'import', bundle, '--key', exported.key.slice(0, 8))
    expect(few).toMatchObject({ code: 1, stderr: expect.stringContaining('at least the first 16 characters') })
    expect(await there.sessions()).toEqual([])

    const ran = await there.cli('handoff', 'import', bundle, '--key', exported.key, '--apply', '--json')
    expect(ran).toMatchObject({ code: 0 })
    const imported = Imported.parse(JSON.parse(ran.stdout))
    expect(imported).toMatchObject({ key: exported.key, isApplied: true })
    const verdicts = new Map(imported.claims.map(({ claim, verdict }) => [claim.split(' ')[0], verdict]))
    expect(verdicts.get('commit')).toBe('holds')
    expect(verdicts.get('src/same.ts')).toBe('holds')
    expect(verdicts.get('src/altered.ts')).toBe('changed')
    expect(verdicts.get('src/lost.ts')).toBe('gone')
    expect(verdicts.get('its')).toBe('holds')
    expect(there.read('src/parser.ts')).toBe(PARSER)

    const told = await there.session().begin()
    expect(told).toContain('Make the parser keep blank lines')
    expect(told).toContain(FAILURE)
    expect(told).toContain(exported.key.slice(0, 16))
    expect(told).toMatch(/same\.ts(?! \()/)
    expect(told).toContain('altered.ts (changed since)')
    expect(told).toContain('lost.ts (gone)')
    expect(there.filesHolding(SECRET)).toEqual([])

    // The key is known now, and the same bundle is kept once, patch and all.
    const again = await there.cli('handoff', 'import', bundle, '--apply', '--json')
    expect(Imported.parse(JSON.parse(again.stdout))).toMatchObject({
      checkpointId: imported.checkpointId,
      isApplied: false,
    })
    expect((await there.cli('handoff', 'import', bundle)).stdout).toContain('already in the work tree')
  })

  test('memories travel when asked, each once however often the bundle comes', async () => {
    await using here = await Machine.create((product) => product.aProject('app'))
    const remembered = 'We use tabs, because of the formatter.'
    expect(await here.cli('remember', remembered)).toMatchObject({ code: 0 })
    await workAndExport(here)
    const folder = await here.cli('handoff', 'export', here.product.dir, '--yes')
    expect(folder).toMatchObject({ code: 2, stderr: expect.stringContaining('is a folder') })
    const bundle = join(here.product.dir, 'with-memories.handoff')
    expect(await here.cli('handoff', 'export', bundle, '--memories')).toMatchObject({ code: 0 })

    await using there = await Machine.create(cloneOf(here))
    const kept: unknown[] = []
    for (const _ of ['first', 'second']) {
      const { stdout } = await there.cli('handoff', 'import', bundle, '--yes', '--memories', '--json')
      kept.push(Imported.parse(JSON.parse(stdout)).memories)
    }
    expect(kept).toEqual([1, 0])
    const { stdout } = await there.cli('recall', '--json')
    expect(stdout.split(remembered)).toHaveLength(2)
  })

  test('a bundle that somebody altered is refused, whoever signed it, and leaves nothing behind', async () => {
    await using here = await Machine.create((product) => product.aProject('app'))
    const { bundle, exported } = await workAndExport(here)
    await using there = await Machine.create(cloneOf(here))
    const before = there.read('src/parser.ts')
    const altered = join(there.product.dir, 'altered.handoff')
    const text = readFileSync(bundle, 'utf8')
    expect(text).toContain('keep blank lines')
    writeFileSync(altered, text.replace('keep blank lines', 'drop blank lines'))
    const ran = await there.cli('handoff', 'import', altered, '--key', exported.key, '--apply')
    expect(ran.code).not.toBe(0)
    expect(ran.stderr).toMatch(/altered/)
    expect(await there.sessions()).toEqual([])
    expect(there.read('src/parser.ts')).toBe(before)
    expect(await there.session().start()).toBe('')
    // The control: as it was written it is accepted.
    expect(await there.cli('handoff', 'import', bundle, '--key', exported.key)).toMatchObject({ code: 0 })
  })
})
