// What `npm run test:clients` does before its tests: fetch the clients while there is a network, then take it away.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

/** Installs every client into the cache, which it returns: the run gets a scratch home, where nobody would find it. Throws, naming the client, when one cannot be had. */
export async function prepareClients(tell) {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-clients-'))
  try {
    const outfile = join(dir, 'clients.mjs')
    const entry = join(import.meta.dirname, 'support', 'clients.ts')
    const banner = { js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)` }
    await build({
      entryPoints: [entry],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      banner,
      logLevel: 'error',
    })
    const clients = await import(pathToFileURL(outfile).href)
    return await clients.prepareClients(tell)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** A new network namespace has `lo` down. Whichever of these is there can raise it; no package is asked for. */
const RAISE_LOOPBACK = [
  'ip link set lo up',
  'ifconfig lo up',
  'busybox ip link set lo up',
  `python3 -c 'import fcntl,socket,struct; s=socket.socket(); fcntl.ioctl(s, 0x8914, struct.pack("16sh", b"lo", 0x49))'`,
  `perl -e 'my $r = pack("a16sx22", "lo", 0x49); socket(S, 2, 2, 0); ioctl(S, 0x8914, $r) or exit 1'`,
]
  .map((command) => `${command} 2>/dev/null`)
  .join(' || ')

/** Root needs no user namespace, and a container that forbids those may still allow this. */
const WAYS_IN = [
  ['unshare', '--net'],
  ['unshare', '--map-root-user', '--net'],
]

/** The words to put before a command so that it has loopback and no other network; undefined where the system allows none. */
export function loopbackOnly() {
  if (process.platform !== 'linux') return undefined
  const reach = `${RAISE_LOOPBACK}; exec "$@"`
  const probe = `const s=require("net").createServer().listen(0,"127.0.0.1",()=>require("net").connect(s.address().port,"127.0.0.1",()=>process.exit(0)).on("error",()=>process.exit(1)))`
  return WAYS_IN.map((way) => [...way, 'sh', '-c', reach, 'sh']).find(
    ([command, ...args]) =>
      spawnSync(command, [...args, process.execPath, '-e', probe], { timeout: 10_000 }).status === 0,
  )
}
