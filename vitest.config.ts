import { defineConfig } from 'vitest/config'

export default defineConfig({
  oxc: { target: 'es2022' },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['test/clients/**', 'test/faults/**', 'node_modules/**', 'dist/**'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
