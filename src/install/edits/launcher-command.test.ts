import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findHarnessInCommand, findHookInCommand, launcherCommand, withHook } from './launcher-command.ts'

const options = {
  harness: 'claude-code',
  hook: 'Stop',
  distDir: '/opt/holdfast/dist',
  nodePath: '/usr/bin/node',
  platform: 'linux',
  exists: (path: string) => path === '/bin/bash',
} as const

test('bash runs the launcher where there is one, and its absence is silence', () => {
  expect(launcherCommand({ ...options, pidVariable: 'CLAUDE_PID' })).toBe(
    'HOLDFAST_PID=$CLAUDE_PID HOLDFAST_NODE=/usr/bin/node /bin/bash -p /opt/holdfast/dist/launcher.sh claude-code Stop 2>/dev/null || :',
  )
  expect(launcherCommand({ ...options, exists: () => false })).toBe(
    'HOLDFAST_NODE=/usr/bin/node /bin/sh /opt/holdfast/dist/launcher.sh claude-code Stop 2>/dev/null || :',
  )
})

test('Windows runs Node itself', () => {
  const command = launcherCommand({ ...options, platform: 'win32', nodePath: 'C:\\node.exe', distDir: '/a b' })
  expect(command).toBe(`"C:\\node.exe" "${join('/a b', 'hook.cjs')}" claude-code Stop`)
  expect(findHarnessInCommand(command)).toBe('claude-code')
})

test.skipIf(process.platform === 'win32')('any folder survives the shell', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-command-'))
  try {
    const distDir = join(folder, `it's "here" $HOME \`x\` ;a b`)
    mkdirSync(distDir)
    writeFileSync(join(distDir, 'launcher.sh'), 'printf "%s|%s|%s|%s" "$1" "$2" "$HOLDFAST_HOME" "$HOLDFAST_PID"\n')
    chmodSync(join(distDir, 'launcher.sh'), 0o644)
    const command = launcherCommand({ ...options, distDir, holdfastHome: `/h 'o' $x`, pidVariable: 'CLAUDE_PID' })
    const said = execFileSync('/bin/sh', ['-c', command], { env: { CLAUDE_PID: '42' }, encoding: 'utf8' })
    expect(said).toBe(`claude-code|Stop|/h 'o' $x|42`)
    expect(findHarnessInCommand(command)).toBe('claude-code')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test.skipIf(!existsSync('/bin/bash'))('the output of BASH_ENV stays out of the hook’s output', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-command-'))
  try {
    writeFileSync(join(folder, 'launcher.sh'), 'printf "%s" "$2"\n')
    writeFileSync(join(folder, 'start'), 'echo hello from your profile\n')
    const command = launcherCommand({ ...options, distDir: folder })
    const env = { BASH_ENV: join(folder, 'start'), 'BASH_FUNC_printf%%': '() { echo mine; }' }
    expect(execFileSync('/bin/sh', ['-c', command], { env, encoding: 'utf8' })).toBe('Stop')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('a command can be asked for another hook', () => {
  expect(withHook(launcherCommand(options), 'HoldfastProbe')).toBe(
    launcherCommand({ ...options, hook: 'HoldfastProbe' }),
  )
  expect(withHook('"node" "hook.cjs" claude-code Stop', 'X')).toBe('"node" "hook.cjs" claude-code X')
})

test('a command of an installation from before stderr was discarded is ours, too', () => {
  const former = launcherCommand(options).replace(' 2>/dev/null', '')
  expect([findHarnessInCommand(former), findHookInCommand(former)]).toEqual(['claude-code', 'Stop'])
  expect(withHook(former, 'PreCompact')).toContain('claude-code PreCompact || :')
})

test('other people’s commands are not ours', () => {
  const commands = [
    'launcher.sh',
    'echo launcher.sh claude-code',
    '/x/launcher.sh claude-code Stop && rm x',
    '/opt/other/my-hook.cjs claude-code Stop',
    'node /opt/other/hook.cjs claude-code Stop',
    '/opt/other/launcher.sh claude-code Stop || :',
    'HOLDFAST_NODE=/usr/bin/node /opt/other/my-launcher.sh claude-code Stop',
    '"node" "C:\\other\\my-hook.cjs" claude-code Stop',
    '',
  ]
  expect(commands.filter((command) => findHarnessInCommand(command) !== undefined)).toEqual([])
})
