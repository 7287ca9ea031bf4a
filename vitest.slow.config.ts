import { defineConfig } from 'vitest/config'

/** Suites that drive real clients or kill processes: one file at a time, minutes allowed. */
export default defineConfig({
  oxc: { target: 'es2022' },
  test: {
    include: ['test/browser/**/*.test.ts', 'test/clients/**/*.test.ts', 'test/faults/**/*.test.ts'],
    setupFiles: ['test/support/fixed-seed.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 900_000,
    hookTimeout: 900_000,
    // A busy machine takes longer than the default of one second.
    expect: { poll: { timeout: 20_000 } },
  },
})
