// bench: from spawning `holdfast mcp` to its first tools/list answer, against starting Node at all; a briefing of a large repository
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolveHome } from '../src/platform/base/home.ts'
import { benchArguments } from './arguments.ts'
import { connect, endClient, startClient } from './mcp-client.ts'
import { stopDaemon } from './stop-daemon.ts'

const LIMITS = { spawnRatio: 1.6, briefingMs: 150 } as const
const BRIEFINGS = 15
const root = process.env['HOLDFAST_ROOT'] ?? process.cwd()

async function listMs(env: NodeJS.ProcessEnv, cwd: string): Promise<number> {
  const startedMs = performance.now()
  const client = startClient(env, cwd)
  await connect(client)
  const answer = await client.ask('tools/list', {})
  const tookMs = performance.now() - startedMs
  if (!JSON.stringify(answer).includes('session_briefing')) throw new Error('tools/list was not answered with tools')
  await endClient(client)
  return tookMs
}

async function nodeMs(env: NodeJS.ProcessEnv): Promise<number> {
  const startedMs = performance.now()
  const child = spawn(process.execPath, ['-e', '0'], { env, stdio: ['pipe', 'pipe', 'inherit'] })
  await once(child, 'exit')
  return performance.now() - startedMs
}

function makeRepository(dir: string, files: number): void {
  for (let file = 0; file < files; file += 1) {
    const folder = join(dir, 'src', `part-${file % 50}`)
    if (file < 50) mkdirSync(folder, { recursive: true })
    writeFileSync(
      join(folder, `module-${file}.ts`),
      `export function work${file}(n: number) {\n  return n + ${file}\n}\n`,
    )
  }
  const items = Array.from({ length: 80 }, (_, n) => `- [${n % 3 === 0 ? 'x' : ' '}] Task ${n}: module-${n}.ts`)
  writeFileSync(join(dir, 'CHECKLIST.md'), `# Phase 1\n\n${items.join('\n')}\n`)
  const identity = ['-c', 'user.name=bench', '-c', 'user.email=bench@example.invalid']
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['add', '.'],
    [...identity, 'commit', '-qm', 'everything'],
  ]) {
    const { status, stderr } = spawnSync('git', args, { cwd: dir, encoding: 'utf8' })
    if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`)
  }
}

/** A briefing shows the map and looks names of it up: without one it would have less to do. */
function makeIndex(env: NodeJS.ProcessEnv, cwd: string): void {
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'bin', 'holdfast'), 'index'], {
    env,
    cwd,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`holdfast index: ${stderr}`)
}

async function briefingMs(env: NodeJS.ProcessEnv, cwd: string): Promise<readonly number[]> {
  const client = startClient(env, cwd)
  await connect(client)
  const call = (name: string, args: object) => client.ask('tools/call', { name, arguments: args })
  await call('register_project', { project_name: 'bench', root_path: cwd })
  await call('record_session_intent', { intent: 'measure', files: ['src/**'], session_id: 'bench' })
  await call('save_session_summary', { summary: 'Measuring\nDone: nothing yet', session_id: 'bench' })
  const times: number[] = []
  for (let round = -2; round < BRIEFINGS; round += 1) {
    const startedMs = performance.now()
    const answer = JSON.stringify(await call('session_briefing', { project_name: 'bench' }))
    const isWhole = answer.includes('everything') && answer.includes('by the index')
    if (!isWhole || answer.includes('"isError":true')) throw new Error(answer.slice(0, 500))
    if (round >= 0) times.push(performance.now() - startedMs)
  }
  await endClient(client)
  return times
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? Number.NaN
}

function show(name: string, times: readonly number[]): void {
  const [min, p50, p95] = [0, 0.5, 0.95].map((share) => quantile(times, share).toFixed(1).padStart(7))
  console.log(`${name.padEnd(22)} min ${min}  p50 ${p50}  p95 ${p95} ms`)
}

async function main(argv: readonly string[]): Promise<number> {
  const { values } = benchArguments({
    args: [...argv],
    options: { rounds: { type: 'string', default: '40' }, files: { type: 'string', default: '5000' } },
  })
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'))
  const home = resolveHome({ HOLDFAST_HOME: join(folder, 'home') })
  // Node 20 parses that file at every start; unset for both alike.
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: undefined, HOLDFAST_HOME: home.root }
  const repository = join(folder, 'repository')
  mkdirSync(repository)
  try {
    makeRepository(repository, Number(values.files))
    makeIndex(env, repository)
    const coldMs = await listMs(env, repository)
    const [node, list]: [number[], number[]] = [[], []]
    for (let round = -3; round < Number(values.rounds); round += 1) {
      const [nodeTook, listTook] = [await nodeMs(env), await listMs(env, repository)]
      if (round < 0) continue
      node.push(nodeTook)
      list.push(listTook)
    }
    const briefings = await briefingMs(env, repository)
    show('node -e 0', node)
    show('spawn to tools/list', list)
    show('session_briefing', briefings)
    console.log(`with the daemon away   ${coldMs.toFixed(0)} ms (once, it is started)`)
    const ratio = quantile(list, 0.5) / quantile(node, 0.5)
    const briefing = quantile(briefings, 0.5)
    const isMet = ratio <= LIMITS.spawnRatio && briefing < LIMITS.briefingMs
    console.log(
      `mcp: spawn to tools/list ${ratio.toFixed(2)}x node -e 0 (limit ${LIMITS.spawnRatio}), session_briefing of ${values.files} files ${briefing.toFixed(1)} ms (limit ${LIMITS.briefingMs}): ${isMet ? 'met' : 'MISSED'}`,
    )
    return isMet ? 0 : 1
  } finally {
    await stopDaemon(home)
    rmSync(folder, { recursive: true, force: true })
  }
}

process.exitCode = await main(process.argv.slice(2))
