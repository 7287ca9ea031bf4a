import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { ClaudeSession } from '../../support/claude-session.ts'
import { PATIENT, Product, waitUntil } from '../../support/product.ts'

/** Of the shop on both machines, by which its clones are one repository. Set before the shop is first located. */
export function setDemoRemote(product: Pick<Product, 'env'>, folder: string): void {
  const remote = 'https://example.com/team/shop.git'
  execFileSync('git', ['-C', folder, 'config', 'remote.origin.url', remote], { env: product.env })
}

/** A session and a shared memory of another person, imported from an export. */
export async function importOtherMachine(
  product: Product,
  shop: string,
): Promise<{ readonly sessionKey: string; readonly imported: unknown }> {
  await using desk = new Product(PATIENT)
  await desk.connect()
  const clone = join(desk.dir, 'shop-on-desk')
  execFileSync('git', ['clone', '--quiet', shop, clone], { env: desk.env })
  setDemoRemote(desk, clone)
  await desk.json(['remember', '--team', 'Releases of the shop are tagged by the pipeline'], { cwd: clone })
  const session = new ClaudeSession(desk, clone, { pid: desk.anAgent() })
  await session.start()
  await session.prompt('Make the coupon field accept lower case.')
  await session.end()
  const file = join(desk.dir, 'desk.jsonl')
  await waitUntil(
    async () => Object(Object(await desk.json(['export', '--all', '--yes', file])).counts).checkpoint >= 1,
    'the session has its checkpoint',
  )
  const imported = await product.json(['import', file])
  // The shop is recognised as the same repository when something is stored there.
  await product.json(['remember', '--team', 'The staging shop is reset every night'], { cwd: shop })
  return { sessionKey: session.id, imported }
}
