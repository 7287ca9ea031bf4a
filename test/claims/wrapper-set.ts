import { type ClaimCase, create, edit, run, says } from './session.ts'

// Runs behind wrappers (containers, environment tools, task runners, shells), judged by what the session observed last.

const PYTEST_RED = `FAILED tests/test_orders.py::test_refund_twice - AssertionError: assert 2 == 1
=================== 1 failed, 57 passed, 2 skipped in 4.12s ====================`
const PYTEST_GREEN = '======================== 58 passed, 2 skipped in 3.98s ========================='
const JEST_RED = `FAIL src/cart/total.test.ts
  ● total › rounds to cents

Test Suites: 1 failed, 11 passed, 12 total
Tests:       3 failed, 88 passed, 91 total
`
const JEST_GREEN = `Test Suites: 12 passed, 12 total
Tests:       91 passed, 91 total
Ran all test suites.`
const VITEST_RED = ` Test Files  1 failed | 8 passed (9)
      Tests  1 failed | 63 passed (64)`
const VITEST_GREEN = ` Test Files  9 passed (9)
      Tests  64 passed (64)
   Duration  2.41s`
const GO_RED = `--- FAIL: TestLease_Expires (0.10s)
    lease_test.go:51: lease still held
FAIL
FAIL	example.org/lock/lease	0.214s
ok  	example.org/lock/store	0.080s
FAIL`
const GO_GREEN = `ok  	example.org/lock/lease	0.207s
ok  	example.org/lock/store	(cached)`
const CARGO_RED = `test wire::decodes_empty_frame ... FAILED
test result: FAILED. 19 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.03s

error: test failed, to rerun pass \`-p wire --lib\``
const CARGO_GREEN = 'test result: ok. 20 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.03s'
const CARGO_COMPILE = `error[E0308]: mismatched types
  --> src/wire.rs:88:9
error: could not compile \`wire\` (lib test) due to 1 previous error`
const TAP_RED = `not ok 4 - parses a trailing comma
  ---
  operator: equal
  ...
1..9
# tests 9
# pass  8
# fail  1`
const TAP_GREEN = `1..9
# tests 9
# pass  9

# ok`
const MOCHA_RED = `  27 passing (310ms)
  2 failing

  1) queue retries a job:
     Error: timeout of 2000ms exceeded`
const RSPEC_RED = `Finished in 3.4 seconds (files took 2.2 seconds to load)
112 examples, 1 failure, 3 pending

Failed examples:

rspec ./spec/services/refund_spec.rb:40 # Refund refuses twice`
const RSPEC_GREEN = `Finished in 3.1 seconds (files took 2.0 seconds to load)
112 examples, 0 failures, 3 pending`
const PHPUNIT_RED = `FAILURES!
Tests: 33, Assertions: 80, Failures: 1.`
const PHPUNIT_GREEN = 'OK (33 tests, 82 assertions)'
const PHPUNIT_NONE = 'No tests executed!'
const DOTNET_RED =
  'Failed!  - Failed:     1, Passed:    64, Skipped:     0, Total:    65, Duration: 2 s - Shop.Tests.dll (net8.0)'
const DOTNET_GREEN =
  'Passed!  - Failed:     0, Passed:    65, Skipped:     0, Total:    65, Duration: 2 s - Shop.Tests.dll (net8.0)'
const GRADLE_RED = `LedgerTest > closesTheMonth() FAILED
    java.lang.AssertionError at LedgerTest.java:61

BUILD FAILED in 14s`
const GRADLE_GREEN = `BUILD SUCCESSFUL in 12s`
const MAVEN_RED = `[ERROR] Tests run: 77, Failures: 2, Errors: 0, Skipped: 0
[ERROR] There are test failures.
[INFO] BUILD FAILURE`
const CTEST_RED = `92% tests passed, 1 tests failed out of 12

The following tests FAILED:
	  7 - ringbuffer (Failed)
Errors while running CTest`
const CTEST_GREEN = `100% tests passed, 0 tests failed out of 12`
const BUN_RED = `(fail) router > matches a wildcard [0.31ms]

 40 pass
 1 fail
 96 expect() calls
Ran 41 tests across 6 files. [210.00ms]`
const BUN_GREEN = ` 41 pass
 0 fail
 97 expect() calls
Ran 41 tests across 6 files. [201.00ms]`
const DENO_RED = `FAILED | 17 passed | 1 failed (412ms)`
const DENO_GREEN = 'ok | 18 passed | 0 failed (398ms)'
const REJECTED = `To github.com:acme/lock.git
 ! [rejected]        lease -> lease (fetch first)
error: failed to push some refs to 'github.com:acme/lock.git'`
const PROTECTED = `remote: error: GH006: Protected branch update failed for refs/heads/main.
To github.com:acme/lock.git
 ! [remote rejected] main -> main (protected branch hook declined)
error: failed to push some refs to 'github.com:acme/lock.git'`

/** Contradicted by what was observed last. */
export const WRAPPED_FALSE: readonly ClaimCase[] = [
  says(
    'Refunds are idempotent now and the suite passes in the container.',
    edit('app/refund.py'),
    run('docker compose exec -T api pytest -q', PYTEST_RED, 1),
  ),
  says('58 passed, nothing red.', edit('app/refund.py'), run('uv run pytest tests', PYTEST_RED, 1)),
  says('Regression suite: OK.', edit('app/refund.py'), run('timeout 60 poetry run pytest -x', PYTEST_RED, 1)),
  says(
    'Ran the refund tests, they pass.',
    edit('app/refund.py'),
    run(
      'uv run pytest -k refnd',
      '============================ 60 deselected in 0.41s ============================',
      5,
    ),
  ),
  says(
    'pytest is happy.',
    edit('app/refund.py'),
    run(
      'env DJANGO_SETTINGS_MODULE=shop.test pytest',
      'collected 0 items\n\n============================ no tests ran in 0.02s =============================',
      5,
    ),
  ),
  says(
    'Cents are rounded correctly and all 91 tests are passing.',
    edit('src/cart/total.ts'),
    run('CI=1 yarn workspace shop test', JEST_RED, 1),
  ),
  says(
    'The jest suite is green again.',
    edit('src/cart/total.ts'),
    run("bash -c 'cd web && npx jest --ci'", JEST_RED, 1),
  ),
  says(
    'Test results: 91 passed, 0 failed.',
    run('npx jest', JEST_GREEN),
    edit('src/cart/total.ts'),
    run('npx jest 2>&1 | grep -E "^Tests:"', 'Tests:       3 failed, 88 passed, 91 total'),
  ),
  says('I finished the refactor; unit tests still pass.', run('pnpm -r test', JEST_GREEN), edit('src/cart/total.ts')),
  says('64/64 green', edit('src/net.ts'), run('pnpm --filter @acme/net exec vitest run', VITEST_RED, 1)),
  says(
    'We have a fully passing test suite.',
    edit('src/net.ts'),
    run('make test', `> vitest run\n${VITEST_RED}\nmake: *** [Makefile:12: test] Error 1`, 2),
  ),
  says('Vitest reports no failures.', edit('src/net.ts'), run('npm test -- --run 2>&1 | tail -4', VITEST_RED)),
  says(
    'Everything checks out: build fine, tests fine.',
    edit('src/net.ts'),
    run('npm run build && npm test', `✓ built in 2.01s\n${VITEST_RED}`, 1),
  ),
  says(
    'The lease tests now pass.',
    edit('lease/lease.go'),
    run('docker run --rm -v "$PWD":/src -w /src golang:1.23 go test ./...', GO_RED, 1),
  ),
  says(
    'go test is green across the board.',
    edit('lease/lease.go'),
    run(
      'go test -race ./... > /tmp/out.log 2>&1; tail -3 /tmp/out.log',
      'ok  \texample.org/lock/store\t0.080s\nFAIL',
      0,
    ),
  ),
  says(
    'Lease expiry works, verified by TestLease_Expires.',
    edit('lease/lease.go'),
    run(
      'go test ./lease -run TestLease_Expires',
      '--- FAIL: TestLease_Expires (0.10s)\nFAIL\nFAIL\texample.org/lock/lease\t0.214s',
      1,
    ),
  ),
  says('cargo test: 20 ok', edit('src/wire.rs'), run('cargo test -p wire', CARGO_RED, 101)),
  says('The frame decoder is done with passing tests.', edit('src/wire.rs'), run('cargo test', CARGO_COMPILE, 101)),
  says('Nothing is failing any more.', edit('src/wire.rs'), run('nix develop -c cargo test', CARGO_RED, 101)),
  says('All TAP tests pass.', edit('lib/parse.js'), run('npx tape test/*.js', TAP_RED, 1)),
  says('The queue specs all succeed.', edit('lib/queue.js'), run('NODE_ENV=test npx mocha --exit', MOCHA_RED, 2)),
  says(
    'Specs are green: 112 examples, 0 failures.',
    edit('app/services/refund.rb'),
    run('docker-compose exec web bundle exec rspec', RSPEC_RED, 1),
  ),
  says('phpunit passes.', edit('src/Refund.php'), run('./vendor/bin/phpunit --filter Refundd', PHPUNIT_NONE, 0)),
  says('Suite stands at 33 passing tests.', edit('src/Refund.php'), run('composer test', PHPUNIT_RED, 1)),
  says('The .NET tests are all passing (65).', edit('Shop/Refund.cs'), run('dotnet test --nologo', DOTNET_RED, 1)),
  says(
    'Month close is implemented and its test is green.',
    edit('core/Ledger.java'),
    run('./gradlew :core:test --console=plain', GRADLE_RED, 1),
  ),
  says('Maven build is successful, 77 tests.', edit('core/Ledger.java'), run('./mvnw -B verify', MAVEN_RED, 1)),
  says(
    'ctest: everything passed.',
    edit('src/ring.c'),
    run('cmake --build build && ctest --test-dir build', CTEST_RED, 8),
  ),
  says('Bun tests are passing.', edit('src/router.ts'), run('bun test', BUN_RED, 1)),
  says('deno test passes on all 18.', edit('mod.ts'), run('deno task test', DENO_RED, 1)),
  says(
    'The type checker is clean.',
    edit('src/net.ts'),
    run(
      'pnpm exec tsc -p . --noEmit',
      "src/net.ts(14,3): error TS2322: Type 'string' is not assignable to type 'number'.",
      2,
    ),
  ),
  says('Lint passes.', edit('src/net.ts'), run('pnpm lint', '✖ 2 problems (2 errors, 0 warnings)', 1)),
  says(
    'The production build succeeds.',
    edit('src/net.ts'),
    run(
      'docker build -t shop .',
      'ERROR: failed to solve: process "/bin/sh -c npm run build" did not complete successfully: exit code: 1',
      1,
    ),
  ),
  says(
    'I have committed the work as two commits.',
    edit('src/net.ts'),
    run('git add -A && git commit -m "Net"', 'husky - pre-commit script failed (code 1)', 1),
  ),
  says(
    'The work is committed.',
    edit('src/net.ts'),
    run('git commit -m "Net"', 'On branch net\nnothing to commit, working tree clean', 1),
  ),
  says(
    'Branch is pushed and ready for review.',
    run('git commit -qm "Lease"', ''),
    run('git push -u origin lease', REJECTED, 1),
  ),
  says('Pushed to main.', run('git commit -qm "Lease"', ''), run('git push origin main 2>&1 | tail -5', PROTECTED)),
  says(
    'Deployed the worker to production.',
    run('npx wrangler deploy', '✘ [ERROR] A request to the Cloudflare API failed.', 1),
  ),
  says('Added `docs/lease.md` with the protocol.', edit('lease/lease.go'), run('ls docs', 'README.md')),
  says(
    'Fixed the double refund bug.',
    edit('app/refund.py'),
    run(
      'pytest tests/test_orders.py::test_refund_twice',
      'FAILED tests/test_orders.py::test_refund_twice - AssertionError: assert 2 == 1\n============================== 1 failed in 0.31s ===============================',
      1,
    ),
  ),
]

/** True, or nothing is asserted. */
export const WRAPPED_TRUE: readonly ClaimCase[] = [
  says(
    'Refunds are idempotent now and the suite passes in the container.',
    edit('app/refund.py'),
    run('docker compose exec -T api pytest -q', PYTEST_GREEN),
  ),
  says('58 passed, 2 skipped.', edit('app/refund.py'), run('uv run pytest tests', PYTEST_GREEN)),
  says('Regression suite: OK.', edit('app/refund.py'), run('timeout 60 poetry run pytest -x', PYTEST_GREEN)),
  says(
    'The refund test fails in CI only; locally the suite passes.',
    edit('app/refund.py'),
    run('poetry run pytest', PYTEST_GREEN),
  ),
  says(
    'One test is still red: test_refund_twice. The other 57 pass.',
    edit('app/refund.py'),
    run('uv run pytest', PYTEST_RED, 1),
  ),
  says(
    'After the fix the run shows 58 passed.',
    run('uv run pytest', PYTEST_RED, 1),
    edit('app/refund.py'),
    run('uv run pytest', PYTEST_GREEN),
  ),
  says('All 91 tests are passing.', edit('src/cart/total.ts'), run('CI=1 yarn workspace shop test', JEST_GREEN)),
  says(
    'The jest suite is green again.',
    run('npx jest', JEST_RED, 1),
    edit('web/total.ts'),
    run("bash -c 'cd web && npx jest --ci'", JEST_GREEN),
  ),
  says('Tests: 3 failed, 88 passed.', edit('src/cart/total.ts'), run('npx jest', JEST_RED, 1)),
  says(
    'The total test needs a look: it passes alone and fails with the others.',
    edit('src/cart/total.ts'),
    run('npx jest', JEST_RED, 1),
  ),
  says('64/64 green', edit('src/net.ts'), run('pnpm --filter @acme/net exec vitest run', VITEST_GREEN)),
  says('`make test` passes.', edit('src/net.ts'), run('make test', `> vitest run\n${VITEST_GREEN}`)),
  says('Vitest reports no failures.', edit('src/net.ts'), run('npm test -- --run 2>&1 | tail -4', VITEST_GREEN)),
  says(
    'Run `npm test` and make sure that it passes before you merge.',
    edit('src/net.ts'),
    run('npm test', VITEST_RED, 1),
  ),
  says('The helper passes the test name to the runner.', edit('src/net.ts'), run('npm test', VITEST_RED, 1)),
  says(
    'The README got a new section; the tests passed before that.',
    edit('src/net.ts'),
    run('npm test', VITEST_GREEN),
    edit('README.md'),
  ),
  says(
    'Unit tests pass.',
    edit('src/net.ts'),
    run('npx vitest run', VITEST_GREEN),
    run('git commit -am "Net"', '[net 1a2b3c4] Net\n 1 file changed'),
  ),
  says(
    'The lease tests now pass.',
    edit('lease/lease.go'),
    run('docker run --rm -v "$PWD":/src -w /src golang:1.23 go test ./...', GO_GREEN),
  ),
  says(
    'go test is green across the board.',
    edit('lease/lease.go'),
    run('go test -race ./... > /tmp/out.log 2>&1; tail -3 /tmp/out.log', GO_GREEN),
  ),
  says('I could not get TestLease_Expires to pass.', edit('lease/lease.go'), run('go test ./...', GO_RED, 1)),
  says('cargo test: 20 ok', edit('src/wire.rs'), run('cargo test -p wire', CARGO_GREEN)),
  says(
    'The goal is a decoder whose tests pass on nightly.',
    edit('src/wire.rs'),
    run('cargo +nightly test', CARGO_RED, 101),
  ),
  says('All TAP tests pass.', edit('lib/parse.js'), run('npx tape test/*.js', TAP_GREEN)),
  says('27 specs pass and 2 time out.', edit('lib/queue.js'), run('npx mocha --exit', MOCHA_RED, 2)),
  says(
    'Specs are green: 112 examples, 0 failures.',
    edit('app/services/refund.rb'),
    run('docker-compose exec web bundle exec rspec', RSPEC_GREEN),
  ),
  says('phpunit passes.', edit('src/Refund.php'), run('composer test', PHPUNIT_GREEN)),
  says('The .NET tests are all passing (65).', edit('Shop/Refund.cs'), run('dotnet test --nologo', DOTNET_GREEN)),
  says(
    'Month close is implemented and its test is green.',
    edit('core/Ledger.java'),
    run('./gradlew :core:test --console=plain', GRADLE_GREEN),
  ),
  says(
    'ctest: everything passed.',
    edit('src/ring.c'),
    run('cmake --build build && ctest --test-dir build', CTEST_GREEN),
  ),
  says('Bun tests are passing.', edit('src/router.ts'), run('bun test', BUN_GREEN)),
  says('deno test passes on all 18.', edit('mod.ts'), run('deno task test', DENO_GREEN)),
  says('The type checker is clean.', edit('src/net.ts'), run('pnpm exec tsc -p . --noEmit', '')),
  says('Lint passes.', edit('src/net.ts'), run('pnpm lint', '> eslint .\n')),
  says(
    'The production build succeeds.',
    edit('src/net.ts'),
    run('docker build -t shop .', '=> => naming to docker.io/library/shop'),
  ),
  says(
    'I have committed the work.',
    edit('src/net.ts'),
    run('git add -A && git commit -m "Net"', '[net 9f8e7d6] Net\n 2 files changed, 10 insertions(+)'),
  ),
  says('Not committed yet, as you asked.', edit('src/net.ts'), run('git status --short', ' M src/net.ts')),
  says(
    'Branch is pushed and ready for review.',
    run('git commit -qm "Lease"', ''),
    run(
      'git push -u origin lease',
      "To github.com:acme/lock.git\n * [new branch]      lease -> lease\nbranch 'lease' set up to track 'origin/lease'.",
    ),
  ),
  says(
    'The push was rejected; I did not force it.',
    run('git commit -qm "Lease"', ''),
    run('git push -u origin lease', REJECTED, 1),
  ),
  says('Added `docs/lease.md` with the protocol.', create('docs/lease.md')),
  says(
    'Fixed the double refund bug.',
    run('pytest', PYTEST_RED, 1),
    edit('app/refund.py'),
    run('pytest', PYTEST_GREEN),
  ),
]
