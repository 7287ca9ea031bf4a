import { HoldfastError } from '../kernel/errors.ts'

export interface InviteLink {
  /** The server's address, without a slash at its end. */
  readonly server: string
  readonly code: string
}

const CODE = /^[A-Za-z0-9_-]{43}$/
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

/** The code is behind the `#`, which no browser sends and no proxy logs. */
export function formatInviteLink({ server, code }: InviteLink): string {
  return `${server}/join#${code}`
}

function findAddress(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

/** Plain HTTP is accepted for this machine only: a key would cross the network in clear. */
export function parseServerAddress(text: string): string {
  const address = findAddress(text)
  if (address === undefined || (address.protocol !== 'https:' && address.protocol !== 'http:')) {
    throw new HoldfastError('invalid-input', `${JSON.stringify(text)} is not the address of a team server.`, {
      hint: 'An example: https://team.example.org.',
    })
  }
  if (address.protocol === 'http:' && !LOOPBACK.has(address.hostname)) {
    throw new HoldfastError('invalid-input', `${address.origin} is not https, and it is not on this machine.`, {
      hint: 'Put a TLS proxy before the team server, and use its https address (docs/team.md).',
    })
  }
  if (address.username !== '' || address.password !== '' || address.search !== '') {
    throw new HoldfastError('invalid-input', 'The address of a team server has no credentials and no query.')
  }
  return `${address.origin}${address.pathname.replace(/\/+$/, '')}`
}

export function parseInviteLink(link: string): InviteLink {
  const [address = '', code = ''] = link.trim().split('#')
  if (!/\/join\/?$/.test(address) || !CODE.test(code)) {
    throw new HoldfastError('invalid-input', 'This is not an invite link of a team server.', {
      hint: 'Copy the whole link that `holdfast team invite` printed, in quotes: the part behind # belongs to it.',
    })
  }
  return { server: parseServerAddress(address.replace(/\/join\/?$/, '')), code }
}
