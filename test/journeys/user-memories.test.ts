import { afterAll, beforeAll, expect, test } from 'vitest'
import { ClaudeSession } from '../support/claude-session.ts'
import { PATIENT, Product, waitUntil } from '../support/product.ts'

let product: Product

beforeAll(async () => {
  product = new Product(PATIENT)
  await product.connect()
})
afterAll(() => product[Symbol.asyncDispose]())

test('what is remembered with --me is known in every project, with its scope, and can be edited and forgotten anywhere', async () => {
  const one = await product.aProject('one')
  const other = await product.aProject('other')
  const here = async (text: string) =>
    Object(await product.json(['remember', text], { cwd: one })) as { id: string; scope?: string }
  await here('The parser of this project keeps form feeds')
  const mine = Object(await product.json(['remember', '--me', 'I prefer commit messages without emoji'], { cwd: one }))
  expect(mine).toMatchObject({ scope: 'me', type: 'preference' })

  const recalled = await product.json(['recall', 'emoji in commit messages'], { cwd: other })
  expect(recalled).toMatchObject([{ memory: { id: mine.id, scope: 'me' } }])
  // Control: what was said for one project stays there.
  expect(await product.json(['recall', 'parser form feeds'], { cwd: other })).toEqual([])
  const listed = await product.cli(['memories', 'list'], { cwd: other })
  expect(listed.stdout).toContain('preference (me)')

  const session = new ClaudeSession(product, other, { pid: product.anAgent() })
  let told = ''
  await waitUntil(async () => {
    told += (await session.start()) + (await session.prompt('Hello.'))
    return told.includes('without emoji')
  }, 'the start tells it')
  expect(told).toContain('known in every project')
  expect(told).not.toContain('form feeds')
  const briefing = await product.cli(['briefing'], { cwd: other })
  expect(briefing.stdout).toContain('known in every project')

  // Said again for one project, it stays known in all of them; a new value there does not replace it.
  expect(await product.json(['remember', 'I prefer commit messages without emoji.'], { cwd: other })).toMatchObject({
    id: mine.id,
    scope: 'me',
  })

  const edited = Object(
    await product.json(['memories', 'edit', mine.id, 'I prefer commit messages with a ticket number'], { cwd: other }),
  )
  expect(edited).toMatchObject({ scope: 'me', supersedes: mine.id })
  expect(await product.json(['recall', 'ticket number'], { cwd: one })).toMatchObject([{ memory: { id: edited.id } }])
  expect((await product.cli(['forget', edited.id], { cwd: other })).code).toBe(0)
  expect(await product.json(['recall', 'ticket number'], { cwd: one })).toEqual([])
})
