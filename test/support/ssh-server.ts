import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'

const SSHD = '/usr/sbin/sshd'

/** Whether the system has an ssh server that a test can start. */
export const hasSshServer: boolean = existsSync(SSHD) && existsSync('/usr/bin/ssh-keygen')

/** A real ssh server on loopback for this account, with keys of its own, and a program that is `ssh` with them. */
export async function startSshServer(dir: string) {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  for (const name of ['host', 'user'])
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(dir, name)])
  execFileSync('cp', [join(dir, 'user.pub'), join(dir, 'authorized')])
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  probe.close()
  writeFileSync(
    join(dir, 'sshd_config'),
    `Port ${port}\nListenAddress 127.0.0.1\nHostKey ${dir}/host\nAuthorizedKeysFile ${dir}/authorized\nStrictModes no\nUsePAM no\nPidFile none\nPasswordAuthentication no\n`,
  )
  // The privilege separation folder of Debian, which its service makes.
  if (userInfo().uid === 0) mkdirSync('/run/sshd', { recursive: true })
  const child = spawn(SSHD, ['-D', '-e', '-f', join(dir, 'sshd_config')], { stdio: 'ignore' })
  const program = join(dir, 'ssh')
  const options = `-F none -i ${dir}/user -o IdentitiesOnly=yes -o UserKnownHostsFile=${dir}/known -o StrictHostKeyChecking=accept-new`
  writeFileSync(program, `#!/bin/sh\nexec /usr/bin/ssh ${options} "$@"\n`, { mode: 0o755 })
  const host = `${userInfo().username}@127.0.0.1`
  for (let tries = 0; ; tries += 1) {
    try {
      execFileSync(program, ['-p', String(port), host, 'true'], { stdio: 'ignore' })
      break
    } catch (thrown) {
      if (tries === 50) throw thrown
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  return { host, port, program, [Symbol.dispose]: () => void child.kill('SIGKILL') }
}
