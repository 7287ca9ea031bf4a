/** Files at a place that machines share. Paths are relative, with `/`, of letters, digits, `.`, `-` and `_`. */
export interface FileTree {
  /** Every file; none if nothing is there yet. */
  list(): Promise<readonly string[]>
  /** In order; undefined for a missing file. May stop after `maxBytes`, but has the first one. */
  readMany(paths: readonly string[], maxBytes: number): Promise<readonly (Uint8Array | undefined)[]>
  /** Whole or not at all. False if a file with this name exists: it stays unchanged. */
  create(path: string, bytes: Uint8Array): Promise<boolean>
  /** Whole or not at all; replaces a file with this name. */
  replace(path: string, bytes: Uint8Array): Promise<void>
  /** Missing files are skipped. Empty folders go too. */
  remove(paths: readonly string[]): Promise<void>
  close(): Promise<void>
}

export const TREE_PATH: RegExp = /^(?!\.)[\w.-]{1,128}(?:\/(?!\.)[\w.-]{1,128}){0,4}$/
