const PATH = /(?<![\w./~@-])((?:\.{0,2}\/)?(?:[\w@.+-]+\/)*[\w@+-][\w@.+-]*\.[A-Za-z][A-Za-z0-9]{0,9})(?![\w/])/g
const DOTTED_WORDS = /^(?:e\.g|i\.e|etc|vs|node\.js|[a-z]+\.(?:com|org|net|io|dev))$/i

/** Files that a text names, relative ones only: with a folder, or between backticks. In order, each once. */
export function namedPaths(text: string): readonly string[] {
  const bare = [...text.matchAll(PATH)].filter(([, path = '']) => path.includes('/')).map(([, path = '']) => path)
  const quoted = [...text.matchAll(/`([^`\n]{1,200})`/g)].flatMap(([, code = '']) =>
    [...code.matchAll(PATH)].map(([, path = '']) => path),
  )
  const paths = [...bare, ...quoted]
    .map((path) => path.replace(/^\.\//, ''))
    .filter(
      (path) => !path.startsWith('/') && !path.startsWith('..') && !DOTTED_WORDS.test(path) && !/\d\.\d/.test(path),
    )
  return [...new Set(paths)]
}
