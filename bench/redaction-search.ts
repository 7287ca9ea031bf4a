import type { Redactor } from '../src/kernel/ports/ports.ts'

/** What texts are put together from: names, what ties values to them, programs, quotes, escapes, and things that fit nowhere. */
const fragments = [
  ...['password', 'token', 'secret', 'key', 'API_KEY', 'auth', '-auth', 'cookie', 'pass', 'bearer ', 'apiKey', 'db_'],
  ...['="', "='", '\\"', '\\\\"', ': ', ' = ', '=', ':', '\n', '\\n', '\\t', ' ', '  ', '\t', '\r\n', '`', "'", '"'],
  ...['value', 'value=', '"value": "', '"name": "', '<add key="', ' value="', '/>', '<secret>', '</secret>', '<key>'],
  ...[
    ' is ',
    ' for the ',
    'the ',
    'my',
    'word',
    'example',
    '(',
    ')',
    ', ',
    '-',
    '_',
    '[',
    ']',
    '->',
    '<-',
    '&',
    ';',
    '|',
  ],
  ...['host=a ', 'user=bob;', '--set ', '-e ', '--token ', '-u ', 'curl -u ', 'mysql -p', 'zip -P ', 'vault kv put '],
  ...['kind: Secret\n', 'data:\n', '  a: ', '"kind": "Secret"', '"data": {', '}', '|\n', '>\n', '</key>', '<string>'],
  ...[
    'http://',
    'a:b@',
    'eyJ',
    'sk-',
    'ghp_',
    '-----BEGIN PRIVATE KEY-----',
    'sig=',
    'AA',
    '5432:',
    'mnemonic',
    'echo ',
  ],
  ...['a', 'x', '1', '.', '…', '%3D', '\u001b[31m', '${', 'X-', 'identified by ', 'login ', '--password-stdin'],
]

const UNIT_CHARS = 60
const TEXT_CHARS = 1 << 16
const PER_MEGABYTE = (1 << 20) / TEXT_CHARS
const KEPT = 20

export interface SlowUnit {
  readonly unit: string
  readonly msPerMegabyte: number
}

/** The same numbers in every run, so that a search can be repeated. */
function createDice(seed: number): (sides: number) => number {
  let state = seed
  return (sides) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff
    return (state >> 8) % sides
  }
}

function cpuMs(run: () => void): number {
  const from = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(from)
  return (user + system) / 1_000
}

/** The best of so many rounds; undefined where something was found and replaced, which is work and no trap. */
function timeOf(unit: string, redactor: Redactor, rounds: number): number | undefined {
  const text = unit.repeat(Math.ceil(TEXT_CHARS / unit.length)).slice(0, TEXT_CHARS)
  let best = Number.POSITIVE_INFINITY
  let clean = text
  for (let round = 0; round < rounds; round += 1)
    best = Math.min(
      best,
      cpuMs(() => {
        clean = redactor.redact(text)
      }),
    )
  return clean === text ? best * PER_MEGABYTE : undefined
}

/** Looks for a text that takes longest: what was slow is altered a little, again and again. */
export function searchSlowUnits(redactor: Redactor, seconds: number, seed = 1): readonly SlowUnit[] {
  const dice = createDice(seed)
  const any = () => fragments[dice(fragments.length)] ?? ''
  let slowest: SlowUnit[] = []

  function nextUnit(): string {
    const parent = slowest[dice(KEPT)]?.unit
    if (parent === undefined || dice(3) === 0) return Array.from({ length: 1 + dice(6) }, any).join('')
    const at = dice(parent.length + 1)
    return parent.slice(0, at) + (dice(3) > 0 ? any() : '') + parent.slice(at + (dice(2) === 0 ? 0 : dice(6)))
  }

  const end = performance.now() + seconds * 1_000
  while (performance.now() < end) {
    const unit = nextUnit()
    if (unit.length < 2 || unit.length > UNIT_CHARS || slowest.some((one) => one.unit === unit)) continue
    const first = timeOf(unit, redactor, 2)
    if (first === undefined || first <= (slowest[KEPT - 1]?.msPerMegabyte ?? 0)) continue
    const msPerMegabyte = timeOf(unit, redactor, 12)
    if (msPerMegabyte === undefined) continue
    slowest = [...slowest, { unit, msPerMegabyte }].toSorted((a, b) => b.msPerMegabyte - a.msPerMegabyte).slice(0, KEPT)
  }
  return slowest
}
