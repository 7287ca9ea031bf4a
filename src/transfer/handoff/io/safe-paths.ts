/** Whether a path, joined to a checkout's top, can only lead to something below it that git would track. */
export function isPlainPath(path: string): boolean {
  if (path === '' || path.length > 4_096 || /^[\\/]|^[A-Za-z]:|[\0\\]/.test(path)) return false
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && !/^\.git$/i.test(part))
}

const HEADER = /^(?:--- |\+\+\+ |rename (?:from|to) |copy (?:from|to) )(.*)$/
/** Modes of links and of other repositories: applied, a link could lead the next file anywhere. What git makes of the patch decides (inspect-patch.ts). */
const LINK_MODE = /^(?:new file mode|new mode|old mode|deleted file mode|index \S+)\s*0*(?:120000|160000)\s*$/

function unquoted(name: string): string | undefined {
  const bare = name.replace(/\t.*$/, '')
  if (bare === '/dev/null') return undefined
  // git quotes names with unusual bytes; whatever they stand for, the separators are seen as they are.
  const plain = bare.startsWith('"') ? bare.slice(1, -1).replace(/\\(?:[0-7]{3}|.)/g, '_') : bare
  return plain.replace(/^[ab]\//, '')
}

function troubleIn(line: string): string | undefined {
  if (LINK_MODE.test(line)) return 'brings a symbolic link or another repository'
  const git = /^diff --git (.*)$/.exec(line)?.[1]
  if (git !== undefined && /(?:^|[\s/"])\.\.(?:\/|$)|(?:^|[\s"])\/|\/\.git\//i.test(git.replace(/\\\\/g, '/')))
    return 'names a file outside the checkout'
  const name = HEADER.exec(line)?.[1]
  const path = name === undefined ? undefined : unquoted(name)
  return path === undefined || isPlainPath(path) ? undefined : 'names a file outside the checkout'
}

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/

/** Why this patch is not even offered to git; undefined when nothing speaks against it. What a hunk holds is content, and everything else may be a header. */
export function patchTrouble(patch: Buffer): string | undefined {
  // Lines of the hunk that are still to come, as it says itself.
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
    const trouble = troubleIn(line)
    if (trouble !== undefined) return trouble
  }
  return undefined
}
