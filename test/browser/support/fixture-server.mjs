// Serves the built browser application with given replies instead of a daemon: for screenshots and for pages in development.
import { readFileSync, existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'

const TYPES = { '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' }
const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

function findReply(replies, path) {
  if (replies[path] !== undefined) return replies[path]
  const patterns = Object.keys(replies).filter((key) => key.includes('*'))
  const hit = patterns.find((key) => new RegExp(`^${key.replaceAll('*', '[^/]+')}$`).test(path))
  return hit === undefined ? undefined : replies[hit]
}

/** Returns the address of the application; `replies` maps a path of the API to its JSON. */
export async function serveFixture(root, replies) {
  const dist = join(root, 'dist/dashboard')
  const manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8'))
  const entry = Object.values(manifest).find(({ isEntry }) => isEntry)
  const shell = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="holdfast-page" content="T"><title>Holdfast</title>${(entry.css ?? []).map((file) => `<link rel="stylesheet" href="/${file}">`).join('')}<script type="module" src="/${entry.file}"></script></head><body><main id="app"></main></body></html>`
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://x')
    const send = (status, type, body) => {
      response.writeHead(status, { 'content-type': type, 'content-security-policy': CSP })
      response.end(body)
    }
    if (pathname === '/api/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('event: position\ndata: {"seq":900,"kind":"position","detail":""}\n\n')
      return
    }
    if (pathname.startsWith('/api/')) {
      const reply = findReply(replies, pathname)
      return send(
        reply === undefined ? 404 : 200,
        'application/json',
        JSON.stringify(reply ?? { error: { code: 'not-found', message: `No reply for ${pathname}.` } }),
      )
    }
    const file = join(dist, pathname)
    if (pathname.startsWith('/assets/') && existsSync(file))
      return send(200, TYPES[extname(file)] ?? 'text/plain', readFileSync(file))
    return pathname.startsWith('/page/') ? send(200, 'text/html', shell) : send(404, 'text/plain', '')
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address()
  return {
    url: `http://127.0.0.1:${port}/page/demo`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
