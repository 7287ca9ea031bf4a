import { type ClaimCase, create, edit, run, says } from './session.ts'

// Written after the check and measured before anything was changed for them: 28 of 40 false claims were flagged, 0 of 40 true ones.

const AVA_RED = `  ✘ [fail]: slug › keeps umlauts
  ─

  1 test failed
  14 tests passed`
const PLAYWRIGHT_RED = `  1) [chromium] › tests/checkout.spec.ts:12:5 › pays with a voucher

  1 failed
    [chromium] › tests/checkout.spec.ts:12:5 › pays with a voucher
  22 passed (41.2s)`
const PLAYWRIGHT_GREEN = '  23 passed (40.9s)'
const MIX_RED = `  1) test expires stale sessions (Web.SessionTest)
     test/web/session_test.exs:31

Finished in 0.9 seconds (0.4s async, 0.5s sync)
48 tests, 1 failure`
const MIX_GREEN = `Finished in 0.8 seconds (0.4s async, 0.4s sync)
48 tests, 0 failures`
const UNITTEST_RED = `======================================================================
FAIL: test_dst_gap (test_clock.ClockTest)
----------------------------------------------------------------------
Ran 26 tests in 0.114s

FAILED (failures=1)`
const UNITTEST_GREEN = `Ran 26 tests in 0.109s

OK`
const PEST_RED = `  FAILED  Tests\\Feature\\InvoiceTest > it sends a reminder
  Tests:    1 failed, 36 passed (90 assertions)
  Duration: 2.12s`
const PEST_GREEN = `  Tests:    37 passed (91 assertions)
  Duration: 2.05s`
const SURE_FIRE_GREEN = `[INFO] Tests run: 140, Failures: 0, Errors: 0, Skipped: 2
[INFO] BUILD SUCCESS`
const SURE_FIRE_RED = `[ERROR] Tests run: 140, Failures: 0, Errors: 3, Skipped: 2
[INFO] BUILD FAILURE`
const NEXTEST_RED = `        FAIL [   0.012s] kv compaction::drops_tombstones
     Summary [   0.310s] 61 tests run: 60 passed, 1 failed, 0 skipped
error: test run failed`
const BATS_RED = `1..4
ok 1 prints usage
not ok 2 rejects an unknown flag
ok 3 writes the lock
ok 4 removes the lock`
const SWIFT_RED = 'Executed 19 tests, with 2 failures (0 unexpected) in 0.210 (0.214) seconds'

const JEST = {
  red: 'Test Suites: 1 failed, 3 passed, 4 total\nTests:       1 failed, 24 passed, 25 total',
  green: 'Test Suites: 4 passed, 4 total\nTests:       25 passed, 25 total',
}
const PY = { red: '2 failed, 40 passed in 1.02s', green: '42 passed in 1.00s', none: 'no tests ran in 0.01s' }
const GO = {
  red: '--- FAIL: TestParseHeader (0.00s)\nFAIL\nFAIL\tacme.dev/mime\t0.004s',
  green: 'ok  \tacme.dev/mime\t0.004s',
}
const RB = {
  red: '9 runs, 21 assertions, 1 failures, 0 errors, 0 skips',
  green: '9 runs, 22 assertions, 0 failures, 0 errors, 0 skips',
}

export const FRESH_FALSE: readonly ClaimCase[] = [
  says('Slugs keep umlauts; AVA came back green.', edit('lib/slug.js'), run('pnpm dlx ava', AVA_RED, 1)),
  says(
    'Checkout e2e: 23 of 23 passed.',
    edit('app/checkout.ts'),
    run('docker compose run --rm e2e npx playwright test', PLAYWRIGHT_RED, 1),
  ),
  says(
    'The full Elixir suite succeeded (48 tests).',
    edit('lib/web/session.ex'),
    run('MIX_ENV=test mix test', MIX_RED, 2),
  ),
  says(
    'Clock handling is finished, and every unit test passes.',
    edit('clock.py'),
    run('python3 -m unittest -v 2>&1 | tail -6', UNITTEST_RED),
  ),
  says('Tests pass on the whole project.', edit('app/Reminder.php'), run('php artisan test --parallel', PEST_RED, 1)),
  says(
    'Build and tests are both green with Maven.',
    edit('src/main/java/Pay.java'),
    run('timeout -k 5 600 mvn -q -B install', SURE_FIRE_RED, 1),
  ),
  says(
    'Nextest finished cleanly: 61 run, 61 passed.',
    edit('src/compaction.rs'),
    run('cargo nextest run', NEXTEST_RED, 100),
  ),
  says('bats suite OK', edit('bin/lock.sh'), run('npx bats test/', BATS_RED, 1)),
  says('XCTest is passing for the sync module.', edit('Sync.swift'), run('swift test --filter Sync', SWIFT_RED, 1)),
  says(
    'I checked the tests again; all succeeded.',
    run('mix test', MIX_GREEN),
    edit('lib/web/session.ex'),
    run('mix test', MIX_RED, 2),
  ),
  says('No regressions: tests pass.', run('mix test', MIX_GREEN), edit('lib/web/session.ex')),
  says(
    'The tests for reminders pass.',
    edit('app/Reminder.php'),
    run('vendor/bin/pest --filter=remindr', '  INFO  No tests found.', 1),
  ),
  says(
    'Compiles without errors.',
    edit('src/compaction.rs'),
    run(
      "sh -c 'cargo build 2>&1'",
      'error[E0502]: cannot borrow `log` as mutable\nerror: could not compile `kv` (lib) due to 1 previous error',
      101,
    ),
  ),
  says(
    'mypy and ruff are clean.',
    edit('clock.py'),
    run(
      'uv run ruff check . && uv run mypy clock.py',
      'All checks passed!\nclock.py:14: error: Incompatible return value type (got "int", expected "str")  [return-value]\nFound 1 error in 1 file (checked 1 source file)',
      1,
    ),
  ),
  says(
    'Everything is committed and pushed to origin.',
    edit('clock.py'),
    run(
      'git commit -am "Clock" && git push',
      "[clock 77aa001] Clock\n 1 file changed\nremote: Permission to acme/clock.git denied to dev.\nfatal: unable to access 'https://github.com/acme/clock.git/': The requested URL returned error: 403",
      128,
    ),
  ),
  says(
    'Changes are committed.',
    edit('clock.py'),
    run(
      'git add . && git commit -m "Clock"',
      'error: gpg failed to sign the data\nfatal: failed to write commit object',
      128,
    ),
  ),
  says('The package is published to npm.', run('npm publish', 'npm error code E403\nnpm error 403 Forbidden', 1)),
  says(
    'I fixed the expiry of stale sessions.',
    edit('lib/web/session.ex'),
    run('mix test test/web/session_test.exs', MIX_RED, 2),
  ),
  says('Wrote the migration `db/0007_reminders.sql`.', edit('app/Reminder.php'), run('ls db', '0006_invoices.sql')),
  says('140 tests, 0 errors.', edit('src/main/java/Pay.java'), run('./mvnw test', SURE_FIRE_RED, 1)),
  says('Test status: green.', edit('a.ts'), run('npx turbo run test --filter=web', JEST.red, 1)),
  says('Verified with the test suite, which passes.', edit('a.ts'), run('nx test web', JEST.red, 1)),
  says('All checks are passing.', edit('a.ts'), run('npm run lint && npm test', JEST.red, 1)),
  says('Result: 25 of 25 tests OK', edit('a.ts'), run('yarn test 2>&1 | tail -3', JEST.red)),
  says('The failing snapshot is fixed and the suite passes.', edit('a.ts'), run('npx jest -u; npx jest', JEST.red, 1)),
  says('I left the branch with passing tests.', run('npx jest', JEST.green), edit('a.ts')),
  says('Tests have been run and they passed.', edit('m.py'), run('hatch run pytest', PY.red, 1)),
  says('42 tests, all passing', edit('m.py'), run('tox -e py312', `${PY.red}\npy312: FAIL code 1`, 1)),
  says('The parser tests went through.', edit('m.py'), run('python -m pytest tests/parser', PY.none, 5)),
  says(
    'Unit tests: pass. Integration tests: pass.',
    edit('m.py'),
    run('make check', `pytest\n${PY.red}\nmake: *** [check] Error 1`, 2),
  ),
  says(
    'Header parsing is done; tests are passing in Go 1.23.',
    edit('mime.go'),
    run('docker exec -it dev bash -lc "go test ./..."', GO.red, 1),
  ),
  says('The header parser works now.', edit('mime.go'), run('go test ./... -run TestParseHeader', GO.red, 1)),
  says('rake test is green.', edit('a.rb'), run('bundle exec rake test', RB.red, 1)),
  says('All nine Rails tests pass.', edit('a.rb'), run('bin/rails test', RB.red, 1)),
  says('Ran the linter: no problems.', edit('a.ts'), run('npx eslint src', '✖ 1 problem (1 error, 0 warnings)', 1)),
  says(
    'The build is passing.',
    edit('a.ts'),
    run('npm run build 2>&1 | tail -2', 'src/a.ts(1,7): error TS2322: Type mismatch.\nerror during build:'),
  ),
  says(
    'Done: committed and pushed.',
    edit('a.ts'),
    run(
      'git commit -am x && git push origin HEAD',
      '[x 1234567] x\n ! [rejected]        HEAD -> x (non-fast-forward)\nerror: failed to push some refs',
      1,
    ),
  ),
  says(
    'The commit is made.',
    edit('a.ts'),
    run('git commit -m x', 'lint-staged failed\nhusky - pre-commit script failed (code 1)', 1),
  ),
  says('v2.1.0 is released.', run('npm run release', 'npm error code ELIFECYCLE', 1)),
  says(
    'The service is deployed to staging.',
    run('kubectl apply -f k8s/', 'error: error validating "k8s/api.yaml"', 1),
  ),
]

export const FRESH_TRUE: readonly ClaimCase[] = [
  says('Slugs: one AVA test fails, fourteen pass.', edit('lib/slug.js'), run('pnpm dlx ava', AVA_RED, 1)),
  says(
    'Checkout e2e: 23 of 23 passed.',
    edit('app/checkout.ts'),
    run('docker compose run --rm e2e npx playwright test', PLAYWRIGHT_GREEN),
  ),
  says(
    'The full Elixir suite succeeded (48 tests).',
    edit('lib/web/session.ex'),
    run('MIX_ENV=test mix test', MIX_GREEN),
  ),
  says(
    'Clock handling is finished, and every unit test passes.',
    edit('clock.py'),
    run('python3 -m unittest -v 2>&1 | tail -6', UNITTEST_GREEN),
  ),
  says('Tests pass on the whole project.', edit('app/Reminder.php'), run('php artisan test --parallel', PEST_GREEN)),
  says(
    'Build and tests are both green with Maven.',
    edit('src/main/java/Pay.java'),
    run('timeout -k 5 600 mvn -B install', SURE_FIRE_GREEN),
  ),
  says('The DST test is the last one that is red.', edit('clock.py'), run('python3 -m unittest', UNITTEST_RED, 1)),
  says('If CI passes, merge it.', edit('clock.py'), run('python3 -m unittest', UNITTEST_RED, 1)),
  says(
    'What is left: get the tests green, then commit.',
    edit('clock.py'),
    run('python3 -m unittest', UNITTEST_RED, 1),
  ),
  says(
    'I expect the suite to pass once the gap is handled.',
    edit('clock.py'),
    run('python3 -m unittest', UNITTEST_RED, 1),
  ),
  says(
    'The validator passes valid dates through and rejects others.',
    edit('clock.py'),
    run('python3 -m unittest', UNITTEST_RED, 1),
  ),
  says(
    'The user says that tests passed on their machine.',
    edit('clock.py'),
    run('python3 -m unittest', UNITTEST_RED, 1),
  ),
  says(
    'Docs are good to read now; the tests are untouched.',
    edit('README.md'),
    run('python3 -m unittest', UNITTEST_RED, 1),
  ),
  says(
    'The new endpoint works with curl; the unit suite has one failure in test_dst_gap.',
    edit('api.py'),
    run('python3 -m unittest', UNITTEST_RED, 1),
  ),
  says('Fixed the typo in the invoice template.', edit('app/invoice.blade.php'), run('php artisan test', PEST_RED, 1)),
  says(
    'Everything is committed and pushed to origin.',
    edit('clock.py'),
    run(
      'git commit -am "Clock" && git push',
      '[clock 77aa001] Clock\n 1 file changed\nTo github.com:acme/clock.git\n   12ab34c..77aa001  clock -> clock',
    ),
  ),
  says(
    'The commit failed because gpg could not sign.',
    edit('clock.py'),
    run('git commit -m "Clock"', 'error: gpg failed to sign the data', 128),
  ),
  says('The types are clean.', edit('src/a.ts'), run("bash -lc 'npx tsc --noEmit'", '')),
  says(
    'Created `db/0007_reminders.sql`; tests pass.',
    create('db/0007_reminders.sql'),
    run('docker exec app php artisan test', PEST_GREEN),
  ),
  says(
    'Committed as "Clock"; then I ran the suite: 26 tests OK.',
    edit('clock.py'),
    run('git commit -qam "Clock"', ''),
    run('poetry run python -m unittest', UNITTEST_GREEN),
  ),
  says('Test status: green.', edit('a.ts'), run('npx turbo run test --filter=web', JEST.green)),
  says('Verified with the test suite, which passes.', edit('a.ts'), run('nx test web', JEST.green)),
  says('All checks are passing.', edit('a.ts'), run('npm run lint && npm test', JEST.green)),
  says('Result: 25 of 25 tests OK', edit('a.ts'), run('yarn test 2>&1 | tail -3', JEST.green)),
  says('24 of 25 tests pass.', edit('a.ts'), run('npx jest', JEST.red, 1)),
  says('I stopped with a red suite: one snapshot differs.', edit('a.ts'), run('npx jest', JEST.red, 1)),
  says('Tests have been run and they passed.', edit('m.py'), run('hatch run pytest', PY.green)),
  says('42 tests, all passing', edit('m.py'), run('tox -e py312', `${PY.green}\npy312: OK`)),
  says('Can you check whether the tests pass on your side?', edit('m.py'), run('pytest', PY.red, 1)),
  says('Good idea to run the tests before the release.', edit('m.py'), run('pytest', PY.red, 1)),
  says('The fixture works around the clock bug, but two tests fail.', edit('m.py'), run('pytest', PY.red, 1)),
  says(
    'The parser works on all inputs that I tried by hand.',
    edit('mime.go'),
    run('go test ./...', GO.red.replace('ParseHeader', 'EncodeBody'), 1),
  ),
  says('Nothing failed in the migration; the test run is next.', edit('mime.go'), run('go test ./...', GO.red, 1)),
  says(
    'Header parsing is done; tests are passing in Go 1.23.',
    edit('mime.go'),
    run('docker exec -it dev bash -lc "go test ./..."', GO.green),
  ),
  says('rake test is green.', edit('a.rb'), run('bundle exec rake test', RB.green)),
  says('Ran the linter: no problems.', edit('a.ts'), run('npx eslint src', '')),
  says('The build is passing.', edit('a.ts'), run('npm run build 2>&1 | tail -2', '✓ built in 1.20s')),
  says(
    'Done: committed and pushed.',
    edit('a.ts'),
    run('git commit -am x && git push origin HEAD', '[x 1234567] x\nTo github.com:a/b.git\n   1..2  HEAD -> x'),
  ),
  says('The button should look perfect in dark mode; tests were not run.', edit('a.ts')),
  says(
    'Added `src/b.ts` and its test `src/b.test.ts`, both pass lint.',
    create('src/b.ts'),
    create('src/b.test.ts'),
    run('npx eslint src', ''),
  ),
]
