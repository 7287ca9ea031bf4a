// The conformance suite has no way to show a token. This stands between it and the daemon, adds the token, and changes
// nothing else: a Host or Origin that names the proxy is made to name the daemon, and any other goes through as it is.
import { createServer, request } from 'node:http'

export function startTokenProxy({ port, token }) {
  const proxy = createServer((incoming, outgoing) => {
    const own = proxy.address().port
    const renamed = (value) =>
      value?.replace(new RegExp(`^((?:http://)?(?:localhost|127\\.0\\.0\\.1)):${own}$`), `$1:${port}`)
    const { host, origin, ...headers } = incoming.headers
    const passed = {
      ...headers,
      host: renamed(host),
      ...(origin !== undefined && { origin: renamed(origin) }),
      authorization: `Bearer ${token}`,
    }
    const target = { host: '127.0.0.1', port, path: incoming.url, method: incoming.method, headers: passed }
    const forwarded = request(target, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers)
      answer.pipe(outgoing)
    })
    forwarded.on('error', () => outgoing.destroy())
    incoming.pipe(forwarded)
  })
  return new Promise((resolve) => {
    proxy.listen(0, '127.0.0.1', () => resolve({ port: proxy.address().port, close: () => proxy.close() }))
  })
}
