// Adds what npm leaves out of package-lock.json when the registry at hand does not carry a platform's optional binary:
// without an entry for each, `npm ci` refuses the lockfile everywhere. Run it after `npm install`; --check only looks.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from './sources.mjs'

const OS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32']
const CPU = ['arm64', 'arm', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64']

/** The platform that a binary's package names: `@scope/binding-linux-arm64-musl`. */
function platformOf(name) {
  const words = name.split('/').at(-1).split('-')
  const os = OS.find((candidate) => words.includes(candidate))
  const cpu = CPU.find((candidate) => words.includes(candidate))
  if (cpu === undefined) throw new Error(`${name} does not say which platform it is for.`)
  const libc = words.includes('musl') ? 'musl' : words.includes('gnu') ? 'glibc' : undefined
  return { cpu: [cpu], ...(libc && { libc: [libc] }), ...(os && { os: [os] }) }
}

/** Entries that the lockfile should have; the version is the one that the package which wants it pins. */
function missingEntries(packages) {
  return Object.values(packages).flatMap((entry) =>
    Object.entries(entry.optionalDependencies ?? {})
      .filter(([name]) => packages[`node_modules/${name}`] === undefined)
      .map(([name, version]) => {
        if (!/^\d/.test(version)) throw new Error(`${name} is wanted as ${version}, not at one version.`)
        const isDev = entry.dev === true ? { dev: true } : {}
        return { path: `node_modules/${name}`, entry: { version, ...platformOf(name), ...isDev, optional: true } }
      }),
  )
}

const { values } = parseArgs({ options: { check: { type: 'boolean' } } })
const path = join(root, 'package-lock.json')
const lock = JSON.parse(readFileSync(path, 'utf8'))
const missing = missingEntries(lock.packages)
if (values.check) {
  for (const { path: name } of missing) console.error(`package-lock.json has no ${name}.`)
  process.exitCode = missing.length === 0 ? 0 : 1
} else if (missing.length > 0) {
  const entries = [...Object.entries(lock.packages), ...missing.map((one) => [one.path, one.entry])].toSorted(
    ([a], [b]) => a.localeCompare(b, 'en'),
  )
  writeFileSync(path, `${JSON.stringify({ ...lock, packages: Object.fromEntries(entries) }, undefined, 2)}\n`)
  console.log(`Added ${missing.length} entries to package-lock.json.`)
}
