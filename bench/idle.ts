// bench: memory of the idle daemon and of `holdfast mcp`, on the oldest and the newest supported Node
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { ClaudeSession } from '../test/support/claude-session.ts'
import { PATIENT, Product, waitUntil } from '../test/support/product.ts'
import { benchArguments } from './arguments.ts'
import { connect, startClient } from './mcp-client.ts'

const LIMITS_MB = { daemon: 90, mcp: 40 } as const
const PROMPTS = 12
const SETTLE_MS = 6_000
const PATIENCE_MS = 60_000
const ROOT = process.env['HOLDFAST_ROOT'] ?? process.cwd()

const { values } = benchArguments({
  options: {
    nodes: { type: 'string', default: '20,22,24,26' },
    root: { type: 'string', default: ROOT },
    here: { type: 'boolean' },
  },
})

interface ProcessMemory {
  /** What the kernel counts for the process, shared pages included. */
  readonly rss: number
  /** The same with each shared page divided by the number of processes that have it: what the process adds. */
  readonly pss: number
  readonly anonymous: number
}

/** Megabytes. */
function readMemory(pid: number): ProcessMemory {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  const field = (text: string, name: string) => {
    return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]) / 1_024
  }
  return { rss: field(status, 'VmRSS'), anonymous: field(status, 'RssAnon'), pss: field(rollup, 'Pss') }
}

function show(name: string, { rss, pss, anonymous }: ProcessMemory): void {
  console.log(
    `Node ${process.versions.node} ${name}: RSS ${rss.toFixed(0)} MB, PSS ${pss.toFixed(0)} MB, of its own ${anonymous.toFixed(0)} MB`,
  )
}

/** As in test/faults/idle.test.ts: a session with 26 hooks, then a client of MCP that made one call. */
async function measureHere(): Promise<number> {
  const bare = startBare()
  await sleep(500)
  show('without a program', readMemory(bare.pid ?? 0))
  bare.kill()
  await using product = new Product()
  await product.connect()
  const project = await product.aProject('app')
  const session = new ClaudeSession(product, project, { pid: product.anAgent(), env: PATIENT })
  await session.start()
  for (let count = 1; count <= PROMPTS; count += 1) {
    await session.prompt(`Step ${count} of the plan.`)
    await session.edit('src/parser.ts', 'text', `text${count}`)
  }
  await session.say('Done.')
  await waitUntil(() => product.daemonPid() !== undefined, 'there is a daemon', PATIENCE_MS)
  const pid = product.daemonPid() ?? 0
  await sleep(SETTLE_MS)
  const daemon = readMemory(pid)
  show('daemon after 26 hooks', daemon)
  const client = startClient(product.env, project, values.root)
  await connect(client)
  await client.ask('tools/list', {})
  await client.ask('tools/call', { name: 'remember', arguments: { content: 'The parser splits lines.' } })
  await client.ask('tools/call', { name: 'recall', arguments: { query: 'what does the parser do?' } })
  await sleep(SETTLE_MS)
  const [withMcp, mcp] = [readMemory(pid), readMemory(client.child.pid ?? 0)]
  show('daemon after a search', withMcp)
  show('holdfast mcp', mcp)
  client.child.stdin?.end()
  if (client.child.exitCode === null) await once(client.child, 'exit')
  const isMet = daemon.rss <= LIMITS_MB.daemon && withMcp.rss <= LIMITS_MB.daemon && mcp.pss <= LIMITS_MB.mcp
  console.log(
    `idle on Node ${process.versions.node}: daemon ${withMcp.rss.toFixed(0)} MB RSS (limit ${LIMITS_MB.daemon}), ` +
      `mcp ${mcp.pss.toFixed(0)} MB PSS (limit ${LIMITS_MB.mcp}): ${isMet ? 'met' : 'MISSED'}`,
  )
  return isMet ? 0 : 1
}

function startBare() {
  return process.getBuiltinModule('node:child_process').spawn(process.execPath, ['-e', 'setTimeout(() => 0, 60_000)'], {
    stdio: 'ignore',
  })
}

async function main(): Promise<number> {
  if (values.here === true) return await measureHere()
  const { nodeBinary } = await import(pathToFileURL(join(ROOT, 'scripts', 'node-binaries.mjs')).href)
  const failed = values.nodes.split(',').filter((major) => {
    const binary: string = nodeBinary(major)
    const { status } = spawnSync(binary, [process.argv[1] ?? '', '--here', '--root', values.root], {
      stdio: 'inherit',
      env: {
        ...process.env,
        PATH: `${dirname(binary)}${delimiter}${process.env['PATH']}`,
        HOLDFAST_ROOT: values.root,
      },
    })
    return status !== 0
  })
  return failed.length === 0 ? 0 : 1
}

process.exitCode = await main()
