import { constants, type FileHandle, open } from 'node:fs/promises'

/** Opened without waiting, so that a FIFO cannot hang us; undefined for anything but a regular file that can be read. */
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
    // What cannot be read is not there.
    return undefined
  } finally {
    await file?.close()
  }
}
