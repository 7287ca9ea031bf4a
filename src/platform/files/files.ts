import { createHash } from 'node:crypto'
import { stat, constants, type FileHandle, open } from 'node:fs/promises'
import type { Files } from '../../kernel/ports/ports.ts'

/** Opens without blocking on a FIFO; undefined for anything but a readable regular file. */
export async function withRegularFile<T>(
  path: string | Buffer,
  use: (file: FileHandle, size: number) => Promise<T>,
): Promise<T | undefined> {
  let file: FileHandle | undefined
  try {
    file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    const facts = await file.stat()
    return facts.isFile() ? await use(file, facts.size) : undefined
  } catch {
    // An unreadable file counts as missing.
    return undefined
  } finally {
    await file?.close()
  }
}

export const localFiles: Files = {
  async facts(path) {
    try {
      const facts = await stat(path)
      return facts.isFile() ? { size: facts.size, modifiedAt: facts.mtime.toISOString() } : undefined
    } catch {
      return undefined
    }
  },

  contentHash(path, maxBytes) {
    return withRegularFile(path, async (file, size) => {
      if (size > maxBytes) return undefined
      const hash = createHash('sha256')
      const buffer = Buffer.allocUnsafe(65_536)
      let total = 0
      for (;;) {
        const { bytesRead } = await file.read(buffer, 0, buffer.length, null)
        if (bytesRead === 0) return hash.digest('hex')
        total += bytesRead
        // It may grow while it is read; /proc files even report size 0.
        if (total > maxBytes) return undefined
        hash.update(buffer.subarray(0, bytesRead))
      }
    })
  },

  readText(path, maxBytes) {
    return withRegularFile(path, async (file) => {
      const buffer = Buffer.allocUnsafe(maxBytes)
      let total = 0
      while (total < maxBytes) {
        const { bytesRead } = await file.read(buffer, total, maxBytes - total, null)
        if (bytesRead === 0) break
        total += bytesRead
      }
      return new TextDecoder().decode(buffer.subarray(0, total))
    })
  },

  async isDirectory(path) {
    try {
      return (await stat(path)).isDirectory()
    } catch {
      return false
    }
  },
}
