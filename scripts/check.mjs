// npm run check: runs every step, also after a failure, and prints a summary.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ensureInstalled, main } from './setup.mjs'
import { root } from './sources.mjs'

const tool = (name) => [join(root, 'node_modules/.bin', name)]
const script = (name) => [process.execPath, join(root, 'scripts', name)]

const steps = [
  { name: 'format', command: [...tool('biome'), 'format', '.'] },
  { name: 'lint', command: [...tool('oxlint'), '--type-aware', '--deny-warnings'] },
  { name: 'types', command: [...tool('tsc'), '--noEmit'] },
  { name: 'browser types', command: [...tool('tsc'), '--noEmit', '-p', 'src/browser'] },
  { name: 'unused', command: [...tool('knip')] },
  { name: 'wording', command: script('check-wording.mjs') },
  { name: 'lockfile', command: [...script('complete-lockfile.mjs'), '--check'] },
  { name: 'reference docs', command: [...script('generate-docs.mjs'), '--check'] },
  { name: 'architecture', command: [...script('test.mjs'), 'test/architecture.test.ts'] },
  { name: 'tests', command: [...script('test.mjs')], isSlow: true },
]

function run({ name, command: [program, ...args] }) {
  console.log(`\n── ${name}`)
  const startedAt = performance.now()
  const { status } = spawnSync(program, args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  })
  return { name, ok: status === 0, seconds: (performance.now() - startedAt) / 1000 }
}

await main(() => {
  const { values } = parseArgs({ options: { static: { type: 'boolean' } } })
  ensureInstalled()
  const results = steps.filter((step) => !(values.static && step.isSlow)).map(run)
  console.log('\n── summary')
  for (const { name, ok, seconds } of results) {
    console.log(`${ok ? 'ok    ' : 'FAILED'}  ${name.padEnd(16)} ${seconds.toFixed(1).padStart(6)} s`)
  }
  return results.every(({ ok }) => ok) ? 0 : 1
})
