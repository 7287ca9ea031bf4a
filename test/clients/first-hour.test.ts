// The first hour of a new user, at a terminal: clone, start, connect, a crash, a refusal, a dead daemon, a moved checkout, uninstall.
import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDatabase } from '../../src/storage/sqlite/connection/driver.ts'
import { killHard, waitUntil } from '../support/product.ts'
import { ClaudeSetup } from './support/claude-setup.ts'
import { callTool, say } from './support/model-script.ts'
import { EDITED_FILE, expectWorkIn, GOAL } from './support/parser-work.ts'
import { recoveryBlocksIn } from './support/recovery-block.ts'
import { endProcess, toolPidFile, untilToolRuns } from './support/running-tool.ts'
import { noTmuxReason, Tmux } from './support/tmux.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const MINUTES = 60_000
const LIMIT_CHARS = 1_200

const whyNot = noTmuxReason()
if (whyNot !== undefined) console.error(`NOT RUN: the walk of a new user needs a terminal, and ${whyNot}.`)

/** As `git clone`, with the libraries and, if it is current, the build of this checkout. */
function cloneTo(folder: string): void {
  if (existsSync(join(ROOT, '.git'))) execFileSync('git', ['clone', '--quiet', ROOT, folder])
  else cpSync(ROOT, folder, { recursive: true, filter: (path) => !/\/(?:node_modules|dist)$/.test(path) })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  cpSync(join(ROOT, 'dist'), join(folder, 'dist'), { recursive: true })
}

/** A person's terminal in which `holdfast` and `claude` are programs. */
async function openTerminal(world: ClaudeSetup, clone: string): Promise<Tmux> {
  const { workspace, claude } = world
  await workspace.putOnPath('claude', claude.program)
  const { PATH = '', ...env } = claude.environment
  const path = [join(clone, 'bin'), workspace.binDir, PATH].join(':')
  const quiet = { npm_config_update_notifier: 'false' }
  return Tmux.open({ cwd: workspace.project, dir: workspace.dir, env: { ...env, ...quiet, PATH: path } })
}

const HOOK_ERROR = /hook error/i

class Walk {
  constructor(
    readonly world: ClaudeSetup,
    readonly terminal: Tmux,
  ) {}

  async startClaude(...options: readonly string[]): Promise<void> {
    await this.terminal.clear()
    await this.terminal.enter(['claude', '--permission-mode', 'manual', ...options].join(' '))
    await this.terminal.waitFor(/^\s*❯/m)
  }

  /** Returns how many requests the model had before. */
  async submit(prompt: string): Promise<number> {
    const { model } = this.world
    const count = model.turns.length
    await this.terminal.enterUntil(prompt, () => model.turns.slice(count).some(({ purpose }) => purpose === 'turn'))
    return count
  }

  /** Asks, waits for the last words of the turn, and returns the request that began it. */
  async ask(prompt: string, lastWords: string): Promise<string> {
    const count = await this.submit(prompt)
    await this.terminal.waitFor(lastWords)
    return this.world.turnsSince(count)[0]?.seen ?? ''
  }

  async exitClaude(): Promise<string> {
    const screen = await this.terminal.screen()
    await this.terminal.enterUntil('/exit', async () => (await this.terminal.childPid()) === undefined)
    if (HOOK_ERROR.test(screen)) throw new Error('Claude Code showed an error of a hook.')
    return screen
  }

  daemonPid(): number {
    return Number(JSON.parse(readFileSync(join(this.world.holdfast.dir, 'run', 'endpoint.json'), 'utf8')).pid)
  }

  async holdfast(words: string): Promise<{ readonly printed: string; readonly code: number }> {
    return this.terminal.command(`holdfast ${words}`)
  }

  async json(words: string): Promise<Readonly<Record<string, unknown>>> {
    const file = join(this.world.workspace.dir, 'answer.json')
    await this.terminal.command(`holdfast ${words} --json > ${file}`)
    return Object(JSON.parse(readFileSync(file, 'utf8')))
  }
}

test.skipIf(whyNot !== undefined)(
  'from git clone to uninstall',
  async () => {
    await using world = await ClaudeSetup.unconnected()
    const { workspace, claude } = world
    const clone = join(workspace.dir, 'holdfast-checkout')
    cloneTo(clone)
    const settings = join(claude.configDir, 'settings.json')
    const ownSettings = '{\n  "permissions": { "deny": ["WebFetch"] }\n}\n'
    writeFileSync(settings, ownSettings)
    await using terminal = await openTerminal(world, clone)
    const walk = new Walk(world, terminal)
    try {
      await walkThrough(walk, { clone, settings, ownSettings })
    } catch (error) {
      console.error(`The terminal showed:\n${await terminal.screen()}`)
      throw error
    }
  },
  20 * MINUTES,
)

test.skipIf(whyNot !== undefined)(
  'a Node that was replaced by an old one, and a downgrade',
  async () => {
    await using world = await ClaudeSetup.unconnected()
    const { workspace } = world
    const clone = join(workspace.dir, 'holdfast-checkout')
    cloneTo(clone)
    await using terminal = await openTerminal(world, clone)
    const walk = new Walk(world, terminal)
    try {
      await replaceNode(walk, join(workspace.dir, 'node'), clone)
      await downgrade(walk)
      expect(await walk.holdfast('uninstall --all --yes --verify')).toMatchObject({ code: 0 })
      expect(await walk.holdfast('daemon stop')).toMatchObject({ code: 0 })
    } catch (error) {
      console.error(`The terminal showed:\n${await terminal.screen()}`)
      throw error
    }
  },
  10 * MINUTES,
)

/** As a version manager does: another version at the path that was recorded. */
async function replaceNode(walk: Walk, node: string, clone: string): Promise<void> {
  const { world, terminal } = walk
  copyFileSync(process.execPath, node)
  const init = await terminal.command(`${node} ${join(clone, 'bin', 'holdfast')} init --harness claude-code --yes`)
  expect(init).toMatchObject({ code: 0 })
  await walk.holdfast('daemon stop')
  writeFileSync(node, '#!/bin/sh\necho v18.20.8\n', { mode: 0o755 })
  world.model.script.onPrompt('Is Node there?', [say('Another one.')])
  await walk.startClaude()
  await walk.ask('Is Node there?', 'Another one.')
  await walk.exitClaude()
  expect((await walk.holdfast('sessions')).printed).toContain('which is Node 18.20.8, too old for Holdfast')
  expect(JSON.stringify(await walk.json('events list --limit 20'))).toContain('Is Node there?')
  expect(await walk.holdfast('doctor --fix')).toMatchObject({ code: 0 })
}

async function downgrade(walk: Walk): Promise<void> {
  const { world } = walk
  await walk.holdfast('daemon stop')
  // What a later version leaves.
  const database = openDatabase(join(world.holdfast.dir, 'data', 'holdfast.db'), { timeout: 5_000 })
  database.exec(`insert into schema_migrations values ('0099-later', '2027-01-01T00:00:00.000Z')`)
  database.close()
  world.model.script.onPrompt('Words for an old version.', [say('Heard.')])
  await walk.startClaude()
  const seen = await walk.ask('Words for an old version.', 'Heard.')
  expect(seen).toContain('The store was written by a later version of Holdfast')
  expect(await walk.exitClaude()).toContain('the daemon cannot start')
  expect((await walk.holdfast('status')).printed).toContain('The store was written by a later version of Holdfast')
  expect(await walk.holdfast('doctor --fix --yes')).toMatchObject({ code: 0 })
  expect(JSON.stringify(await walk.json('events list --limit 20'))).toContain('Words for an old version.')
  world.model.script.onPrompt('Better now?', [say('Better.')])
  await walk.startClaude()
  expect(await walk.ask('Better now?', 'Better.')).not.toContain('written by a later version')
  await walk.exitClaude()
}

interface Places {
  readonly clone: string
  readonly settings: string
  readonly ownSettings: string
}

async function walkThrough(walk: Walk, { clone, settings, ownSettings }: Places): Promise<void> {
  const { world, terminal } = walk
  const { model, workspace, claude } = world

  // `npm start`, and a light install: hooks and the MCP entry, nothing in the project, no way of working.
  const started = await terminal.command(`(cd ${clone} && npm start)`, 5 * MINUTES)
  expect(started).toMatchObject({ code: 0, printed: expect.stringContaining('init --harness claude-code') })
  expect(started.printed).toContain('npm link')
  const connected = await walk.holdfast('init --harness claude-code --yes')
  expect(connected).toMatchObject({ code: 0, printed: expect.stringContaining('Claude Code is connected') })
  expect(readdirSync(claude.configDir)).not.toEqual(expect.arrayContaining(['CLAUDE.md']))
  expect(existsSync(join(claude.configDir, 'skills'))).toBe(false)
  expect(existsSync(join(claude.configDir, 'commands'))).toBe(false)
  expect((await terminal.command('git status --porcelain --ignored')).printed).toBe('')
  const cost = await walk.json('cost')
  expect(cost).toMatchObject({ harness: 'claude-code', parts: expect.any(Array) })
  expect(cost['totalChars']).toBeLessThanOrEqual(LIMIT_CHARS)

  // A crash of agent and daemon in the middle of a tool, then `claude` again.
  model.script.onPrompt(GOAL, [
    callTool('Write', { file_path: world.inProject(EDITED_FILE), content: 'export const split = undefined\n' }),
    callTool('Bash', { command: `echo $$ > ${toolPidFile(workspace)}; sleep 300` }),
  ])
  await walk.startClaude('--allowedTools', 'Bash,Write')
  await walk.submit(GOAL)
  const tool = await untilToolRuns(workspace)
  const agent = await terminal.childPid()
  for (const pid of [agent, walk.daemonPid()]) killHard(Number(pid))
  endProcess(-tool)
  await waitUntil(async () => (await terminal.childPid()) === undefined, 'the shell is back')

  model.script.onPrompt('Where were we?', [say('At the parser.')])
  model.script.onPrompt('Run the whole suite.', [
    callTool('Bash', { command: 'npm test', description: 'Run the suite' }),
    say('Never-said.'),
  ])
  await walk.startClaude('--allowedTools', 'Write')
  expectWorkIn(recoveryBlocksIn(await walk.ask('Where were we?', 'At the parser.')))
  // The user says No to a command, which then has not run.
  await walk.submit('Run the whole suite.')
  await terminal.waitFor(/Do you want to proceed\?/)
  await terminal.pressUntilGone('Escape', 'Do you want to proceed?')
  const screen = await walk.exitClaude()
  expect(screen).toMatch(/Holdfast: continued from \d\d:\d\d/)
  // No dialog was about one of Holdfast's own tools.
  expect(screen).not.toMatch(/holdfast.{0,40}\(MCP\)/i)

  model.script.onPrompt('And now?', [say('Still at the parser.')])
  await walk.startClaude()
  const seen = await walk.ask('And now?', 'Still at the parser.')
  expectWorkIn(recoveryBlocksIn(seen))
  const suite = recoveryBlocksIn(seen).flatMap((block) => block.split('\n').filter((line) => /npm test/.test(line)))
  expect(suite.filter((line) => !/refused/i.test(line))).toEqual([])
  await walk.exitClaude()

  // What it was given can be looked at, and the installation is sound.
  expect(await walk.holdfast('explain')).toMatchObject({ code: 0, printed: expect.stringContaining('chosen:') })
  expect(await walk.holdfast('doctor')).toMatchObject({ code: 0 })
  const [{ key }] = Object(await walk.json('sessions list --limit 1'))
  expect(await walk.holdfast(`sessions show ${String(key).slice(0, 8)}`)).toMatchObject({ code: 0 })

  // The daemon dies in the middle of a turn: nothing on the screen, nothing missing afterwards.
  model.script.onPrompt('Check what is there.', [
    callTool('Bash', { command: `kill -9 ${walk.daemonPid()}` }),
    callTool('Bash', { command: 'echo during' }),
    callTool('Write', { file_path: world.inProject('src/second.js'), content: 'export {}\n' }),
    say('All of it is there.'),
  ])
  await walk.startClaude('--allowedTools', 'Bash,Write')
  await walk.ask('Check what is there.', 'All of it is there.')
  await walk.exitClaude()
  await waitUntil(
    async () => JSON.stringify(await walk.json('events list --limit 50')).includes('echo during'),
    'the tool call without a daemon is in the log',
  )

  // The checkout moves: no hook fails, the next command reports it, `doctor --fix` repairs it, the next session works.
  const moved = join(workspace.dir, 'moved checkout')
  renameSync(clone, moved)
  model.script.onPrompt('Anybody there?', [say('Only me.')])
  await walk.startClaude()
  await walk.ask('Anybody there?', 'Only me.')
  await walk.exitClaude()
  const program = `"${join(moved, 'bin', 'holdfast')}"`
  const noticed = await terminal.command(`${program} sessions`)
  expect(noticed.printed).toContain('which does not exist: its sessions are not recorded')
  expect(await terminal.command(`${program} doctor --fix`)).toMatchObject({ code: 0 })
  model.script.onPrompt('And after the move?', [say('Here again.')])
  await walk.startClaude()
  await walk.ask('And after the move?', 'Here again.')
  await walk.exitClaude()

  // Uninstalled, the client runs on, and its settings have their old bytes.
  expect(await terminal.command(`${program} uninstall --all --yes --verify`)).toMatchObject({ code: 0 })
  expect(readFileSync(settings, 'utf8')).toBe(ownSettings)
  model.script.onPrompt('Without it?', [say('Without it.')])
  await walk.startClaude()
  expect(await walk.ask('Without it?', 'Without it.')).not.toMatch(/holdfast (?:session|recovery)|Session Recovery/i)
  await walk.exitClaude()
  expect(await terminal.command(`${program} daemon stop`)).toMatchObject({ code: 0 })
}
