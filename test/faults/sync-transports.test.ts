import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openGitTree } from '../../src/sync/io/git-tree.ts'
import { createSshTree, type SshTreeOptions } from '../../src/sync/io/ssh-tree.ts'
import { createTreeTransport } from '../../src/sync/io/tree-transport.ts'
import { type SharedPlace, syncTransportContract } from '../contracts/sync-transport-contract.ts'
import { hasSshServer, startSshServer } from '../support/ssh-server.ts'

function temporary() {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-space-'))
  return { dir, [Symbol.asyncDispose]: async () => rmSync(dir, { recursive: true, force: true }) }
}

syncTransportContract('refs of a git remote', async (): Promise<SharedPlace> => {
  const { dir, ...place } = temporary()
  const bare = join(dir, 'shared.git')
  execFileSync('git', ['init', '--quiet', '--bare', bare])
  return {
    ...place,
    open: async (machine) =>
      createTreeTransport(await openGitTree({ url: `file://${bare}`, dir: join(dir, machine), machine })),
  }
})

/** Runs on this machine what ssh would run on another one: the commands are tested where no ssh server is installed. */
const STAND_IN = '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nexec sh -c "$3"\n'

syncTransportContract('a folder behind a stand-in for ssh', async () => {
  const { dir, ...place } = temporary()
  const [program, path] = [join(dir, 'ssh'), join(dir, "it's a folder")]
  mkdirSync(path)
  writeFileSync(program, STAND_IN, { mode: 0o755 })
  const options = { address: { host: 'nas', path }, program, env: process.env }
  return { ...place, open: async () => createTreeTransport(createSshTree(options)) }
})

describe.skipIf(!hasSshServer)('with a real ssh server (Debian: openssh-server)', () => {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-sshd-'))
  let server: Awaited<ReturnType<typeof startSshServer>>
  beforeAll(async () => {
    server = await startSshServer(dir)
  })
  afterAll(() => {
    server[Symbol.dispose]()
    rmSync(dir, { recursive: true, force: true })
  })
  const at = (path: string): SshTreeOptions => ({
    address: { host: server.host, port: server.port, path },
    program: server.program,
    env: process.env,
  })

  syncTransportContract('a folder behind ssh', async () => {
    const { dir: root, ...place } = temporary()
    const path = join(root, "it's a folder")
    mkdirSync(path)
    return { ...place, open: async () => createTreeTransport(createSshTree(at(path))) }
  })

  test('a folder that is missing there, and a computer that does not answer, are named with what to do', async () => {
    await expect(createSshTree(at('/nowhere/at/all')).list()).rejects.toThrow('/nowhere/at/all does not exist')
    const away = { ...at('/tmp'), address: { host: server.host, port: 1, path: '/tmp' } }
    await expect(createSshTree(away).list()).rejects.toThrow(/ssh:\/\/.*:1\/tmp cannot be reached: .*refused/)
  })
})
