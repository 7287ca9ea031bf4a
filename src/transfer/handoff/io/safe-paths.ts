/** Whether a path, joined to a checkout's root, leads to something below it that git would track. */
export function isPlainPath(path: string): boolean {
  if (path === '' || path.length > 4_096 || /^[\\/]|^[A-Za-z]:|[\0\\]/.test(path)) return false
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && !/^\.git$/i.test(part))
}

const HEADER = /^(?:--- |\+\+\+ |rename (?:from|to) |copy (?:from|to) )(.*)$/
/** Modes of links and other repositories: a link could redirect the next file. Git's own reading decides (apply-patch.ts). */
const LINK_MODE = /^(?:new file mode|new mode|old mode|deleted file mode|index \S+)\s*0*(?:120000|160000)\s*$/

function unquotePath(name: string): string | undefined {
  const bare = name.replace(/\t.*$/, '')
  if (bare === '/dev/null') return undefined
  // git quotes names with unusual bytes; the separators stay visible.
  const plain = bare.startsWith('"') ? bare.slice(1, -1).replace(/\\(?:[0-7]{3}|.)/g, '_') : bare
  return plain.replace(/^[ab]\//, '')
}

function findLineTrouble(line: string): string | undefined {
  if (LINK_MODE.test(line)) return 'contains a symbolic link or another repository'
  const git = /^diff --git (.*)$/.exec(line)?.[1]
  if (git !== undefined && /(?:^|[\s/"])\.\.(?:\/|$)|(?:^|[\s"])\/|\/\.git\//i.test(git.replace(/\\\\/g, '/')))
    return 'names a file outside the checkout'
  const name = HEADER.exec(line)?.[1]
  const path = name === undefined ? undefined : unquotePath(name)
  return path === undefined || isPlainPath(path) ? undefined : 'names a file outside the checkout'
}

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/

/** Why this patch is not even given to git; undefined when there is no reason. Lines of a hunk are content, everything else may be a header. */
export function findPatchTrouble(patch: Buffer): string | undefined {
  // Remaining lines of the hunk, by its own header.
  let before = 0
  let after = 0
  for (const line of patch.toString('latin1').split('\n')) {
    if (before > 0 || after > 0) {
      const isContext = !/^[-+\\]/.test(line)
      if (isContext || line.startsWith('-')) before -= 1
      if (isContext || line.startsWith('+')) after -= 1
      continue
    }
    const hunk = HUNK.exec(line)
    if (hunk !== null) [before, after] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)]
    const trouble = findLineTrouble(line)
    if (trouble !== undefined) return trouble
  }
  return undefined
}
