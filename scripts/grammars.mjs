// The codemap's part of the build: the parser's worker, and the grammars that it loads from beside the bundles.
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './sources.mjs'

/** A second grammar in the same package, for PHP without HTML around it: never loaded. */
const LEFT_OUT = new Set(['tree-sitter-php_only.wasm'])

function grammarFiles() {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return Object.keys(devDependencies)
    .filter((name) => name === 'web-tree-sitter' || name.startsWith('tree-sitter-'))
    .flatMap((name) =>
      readdirSync(join(root, 'node_modules', name))
        .filter((file) => file.endsWith('.wasm') && !LEFT_OUT.has(file))
        .map((file) => ({ file, path: `node_modules/${name}/${file}` })),
    )
}

export const codemapTargets = (build, options) => [
  {
    name: 'codemap-worker',
    entry: 'src/codemap/parse/parse-worker.ts',
    run: (outdir) =>
      build({
        ...options,
        minify: true,
        entryPoints: { 'codemap-worker': 'src/codemap/parse/parse-worker.ts' },
        outdir,
      }),
  },
  {
    name: 'grammars',
    entry: 'src/codemap/parse/languages.ts',
    run: async (outdir) => {
      const grammars = grammarFiles()
      mkdirSync(join(outdir, 'grammars'), { recursive: true })
      for (const { file, path } of grammars) copyFileSync(join(root, path), join(outdir, 'grammars', file))
      // As the bundler reports what it read, so that their licences are shipped too.
      return { metafile: { inputs: Object.fromEntries(grammars.map(({ path }) => [path, {}])), outputs: {} } }
    },
  },
]
