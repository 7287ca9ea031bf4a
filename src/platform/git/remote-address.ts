const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i
const SCP_LIKE = /^(?:[^@/]+@)?([^:/]+):(?!\/\/)(.*)$/

/**
 * One spelling for all the addresses of one repository: `host/path`, without scheme, user, password, port of the scheme, `.git` and
 * trailing slashes; the host in lower case. Paths keep their case: on many servers it matters.
 */
export function normalizeRemote(address: string): string {
  const trimmed = address.trim()
  if (SCHEME.test(trimmed)) {
    const rest = trimmed.replace(SCHEME, '')
    const slash = rest.indexOf('/')
    const authority = slash === -1 ? rest : rest.slice(0, slash)
    const path = slash === -1 ? '' : rest.slice(slash)
    const host = authority.slice(authority.lastIndexOf('@') + 1).toLowerCase()
    return tidy(host.replace(/:(?:22|80|443|9418)$/, ''), path)
  }
  // A Windows drive letter is a path, not a host.
  const scp = /^[a-z]:[\\/]/i.test(trimmed) ? null : trimmed.match(SCP_LIKE)
  return scp === null ? tidy('', trimmed) : tidy((scp[1] ?? '').toLowerCase(), `/${scp[2] ?? ''}`)
}

function withoutTrailingSlashes(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end -= 1
  return path.slice(0, end)
}

function tidy(host: string, path: string): string {
  const end = path.search(/[?#]/)
  const bare = withoutTrailingSlashes(
    withoutTrailingSlashes(end === -1 ? path : path.slice(0, end)).replace(/\.git$/, ''),
  )
  return `${host}${host === '' ? bare : bare.replace(/^\/+/, '/')}`
}
