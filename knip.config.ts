import type { KnipConfig } from 'knip'

export default {
  entry: [
    'src/cli/main.ts',
    'src/daemon/main.ts',
    'src/storage/sqlite/worker.ts',
    'src/hook/main.ts',
    'bench/*.ts',
    'bench/run.mjs',
    'scripts/*.mjs',
    'scripts/*.ts',
    'test/**/*.test.ts',
    'src/**/*.test.ts',
    'vitest.slow.config.ts',
  ],
  project: ['src/**/*.ts', 'test/**/*.ts', 'bench/**/*.ts', 'scripts/**'],
} satisfies KnipConfig
