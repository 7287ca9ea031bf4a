const DIGITS = 8

/** FNV-1a, for a key that is not hexadecimal. */
function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0
  return hash
}

/** Which of several stores holds a repository's batches. It never changes for a number of stores. */
export function findShard(repository: string, shards: number): number {
  const head = repository.slice(0, DIGITS)
  const hash = /^[0-9a-f]{8}$/.test(head) ? Number.parseInt(head, 16) : hashText(repository)
  return hash % shards
}
