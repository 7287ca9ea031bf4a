import { defineConfig } from 'vitest/config'

export default defineConfig({
  oxc: { target: 'es2022' },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['test/browser/**', 'test/clients/**', 'test/faults/**', 'node_modules/**', 'dist/**'],
    setupFiles: ['test/support/fixed-seed.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // Only what hangs takes as long: a busy machine is slow, and no test asserts a time.
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
})
