import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)

/** The package whose tarball carries a grammar; what the build copies, straight from node_modules. */
function packageOf(file: string): string {
  const name = file.slice(0, -'.wasm'.length).replaceAll('_', '-')
  return name === 'tree-sitter-tsx' ? 'tree-sitter-typescript' : name
}

export function grammarFile(file: string): string {
  if (file === 'web-tree-sitter.wasm') return require.resolve('web-tree-sitter/web-tree-sitter.wasm')
  return join(dirname(require.resolve(`${packageOf(file)}/package.json`)), file)
}
