import { HoldfastError } from '../../kernel/errors.ts'

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** Where events may go: https anywhere, http only on this machine, and no password in the address. */
export function parseWebhookAddress(text: string): URL {
  const refuse = (why: string): never => {
    // The address itself is not repeated: people put tokens into them.
    throw new HoldfastError('invalid-input', `The webhook's address ${why}.`, {
      hint: 'Set outbox.url in the user configuration to https://…, or to http://127.0.0.1:… for this machine.',
    })
  }
  let url: URL
  try {
    url = new URL(text)
  } catch {
    return refuse('is not a URL')
  }
  if (url.username !== '' || url.password !== '') return refuse('may not hold a name or password')
  if (url.protocol === 'https:') return url
  if (url.protocol !== 'http:') return refuse(`begins with ${url.protocol}, not with https:`)
  return LOOPBACK.test(url.hostname) ? url : refuse('is plain http to another machine')
}

/** For a person: without what may be secret in it. */
export function shownAddress(url: URL): string {
  return `${url.origin}${url.pathname}${url.search === '' ? '' : '?…'}`
}
