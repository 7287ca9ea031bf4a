import { expect, test } from 'vitest'
import { ClaudeSession } from '../support/claude-session.ts'
import { injectedBy, isAlive, waitUntil } from '../support/product.ts'
import { BoxedProduct, CAN_BOX } from './support/boxed-product.ts'
import { PATIENCE_MS } from './support/daemon.ts'

test.skipIf(!CAN_BOX)(
  `a home that cannot be written: hooks exit 0 with nothing or valid output, and whoever is asked names it${CAN_BOX ? '' : ' (skipped: no mounts in a namespace of our own here)'}`,
  async () => {
    await using product = await BoxedProduct.with(8)
    await product.connect()
    const project = await product.aProject('app')
    const first = new ClaudeSession(product, project, { pid: product.anAgent() })
    await first.start()
    await first.prompt('Make the parser keep blank lines.')
    await first.end()
    await product.json(['sessions', 'list'])
    const daemonPid = product.daemonPid() ?? 0
    expect(await product.cli(['daemon', 'stop'])).toMatchObject({ code: 0 })
    await waitUntil(() => !isAlive(daemonPid), 'the daemon is gone', PATIENCE_MS)
    await product.makeReadOnly()

    const second = new ClaudeSession(product, project, { pid: product.anAgent() })
    for (const hook of ['SessionStart', 'UserPromptSubmit', 'Stop', 'PreCompact', 'SessionEnd']) {
      const ran = await second.fire(hook, { prompt: 'Go on.', source: 'startup', reason: 'other', trigger: 'auto' })
      expect({ hook, code: ran.code, stderr: ran.stderr }).toEqual({ hook, code: 0, stderr: '' })
      // Throws unless it is empty or valid.
      injectedBy(ran)
    }
    const daemon = await product.cli(['daemon', 'run'])
    expect(daemon.code).toBe(1)
    expect(daemon.stderr + daemon.stdout).toContain(product.home)
    const list = await product.cli(['sessions', 'list', '--json'], { cwd: project })
    expect(list.stdout + list.stderr).toContain(product.home)
    const doctor = await product.cli(['doctor'], { cwd: project })
    expect(doctor.code).toBe(1)
    const failed = doctor.stdout.split('\n').filter((line) => line.startsWith('✗') && line.includes(product.home))
    expect(failed.join('\n')).toMatch(/read-only/i)
    expect(failed).toContain(`✗ home  ${product.home} cannot be written: its file system is read-only (EROFS)`)
  },
)
