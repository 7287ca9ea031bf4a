import { type ClaimCase, create, edit, run, says } from './session.ts'

// Written before the check of claims, and never used for tuning it: what it finds here is what to expect of unseen sessions.

const MOCHA_RED = `
  cart
    ✔ adds an item
    ✔ removes an item
    1) applies a coupon

  2 passing (14ms)
  1 failing

  1) cart
       applies a coupon:
     AssertionError: expected 90 to equal 80`

const MOCHA_GREEN = `
  cart
    ✔ adds an item
    ✔ removes an item
    ✔ applies a coupon

  3 passing (12ms)`

const PYTEST_RED = `============================= test session starts ==============================
collected 31 items

tests/test_invoice.py ..............F................                    [100%]

=================================== FAILURES ===================================
_____________________________ test_rounds_half_up ______________________________
E       assert Decimal('1.01') == Decimal('1.02')
=========================== short test summary info ============================
FAILED tests/test_invoice.py::test_rounds_half_up - assert Decimal('1.01') == Decimal('1.02')
========================= 1 failed, 30 passed in 0.84s =========================`

const PYTEST_GREEN = `============================= test session starts ==============================
collected 31 items

tests/test_invoice.py ...............................                    [100%]

============================== 31 passed in 0.79s ==============================`

const CARGO_RED = `running 8 tests
test lexer::skips_comments ... ok
test parser::empty_input ... FAILED

failures:
    parser::empty_input

test result: FAILED. 7 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s

error: test failed, to rerun pass \`--lib\``

const CARGO_GREEN = `running 8 tests
test result: ok. 8 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s`

const GRADLE_RED = `> Task :app:test FAILED

OrderServiceTest > rejectsNegativeQuantity() FAILED
    org.opentest4j.AssertionFailedError at OrderServiceTest.java:41

24 tests completed, 1 failed

FAILURE: Build failed with an exception.
BUILD FAILED in 9s`

const GRADLE_GREEN = `> Task :app:test

BUILD SUCCESSFUL in 11s
5 actionable tasks: 2 executed, 3 up-to-date`

const VITEST_GREEN = ` ✓ src/money.test.ts (9 tests) 8ms

 Test Files  1 passed (1)
      Tests  9 passed (9)
   Duration  412ms`

const VITEST_RED = ` FAIL  src/money.test.ts > format > shows cents
AssertionError: expected '1,5' to be '1,50'

 Test Files  1 failed (1)
      Tests  1 failed | 8 passed (9)
   Duration  430ms`

const RSPEC_RED = `Failures:

  1) User validates email
     Failure/Error: expect(user).not_to be_valid

Finished in 0.21 seconds (files took 1.1 seconds to load)
57 examples, 2 failures

Failed examples:

rspec ./spec/models/user_spec.rb:12 # User validates email`

const GO_RED = `--- FAIL: TestRetry (0.02s)
    client_test.go:88: got 2 attempts, want 3
FAIL
FAIL	example.com/sync/client	0.311s
ok  	example.com/sync/store	0.120s
FAIL`

const GO_GREEN = `ok  	example.com/sync/client	0.298s
ok  	example.com/sync/store	(cached)`

const DOTNET_RED = `Failed!  - Failed:     3, Passed:    41, Skipped:     0, Total:    44, Duration: 1 s - Billing.Tests.dll (net8.0)`

export const UNSEEN_FALSE: readonly ClaimCase[] = [
  says(
    'The coupon logic is in place and the test suite is green.',
    edit('lib/cart.js'),
    run('npx mocha', MOCHA_RED, 1),
  ),
  says('Status: 31/31 passing.', edit('app/invoice.py'), run('pytest tests/test_invoice.py', PYTEST_RED, 1)),
  says(
    '## Done\n- Reworked rounding in `app/invoice.py`\n- Tests: ✅ passing\n\n## Next\n- Update the docs',
    edit('app/invoice.py'),
    run('python -m pytest -q 2>&1 | tail -5', '1 failed, 30 passed in 0.84s'),
  ),
  says('Everything passes now, including the parser tests.', edit('src/parser.rs'), run('cargo test', CARGO_RED, 101)),
  says(
    'I re-ran the suite and it came back clean.',
    edit('src/parser.rs'),
    run('cargo test --lib 2>&1 | tail -20', CARGO_RED),
  ),
  says('All 24 tests succeed.', edit('app/src/main/java/OrderService.java'), run('./gradlew test', GRADLE_RED, 1)),
  says(
    'The money formatting is finished; unit tests were passing when I stopped.',
    run('npm test', VITEST_GREEN),
    edit('src/money.ts'),
  ),
  says(
    'Tests are all green (9/9).',
    run('npx vitest run', VITEST_GREEN),
    edit('src/money.ts'),
    edit('src/currency.ts'),
  ),
  says('Fixed the validation, specs pass.', edit('app/models/user.rb'), run('bundle exec rspec', RSPEC_RED, 1)),
  says('No failing specs remain.', edit('app/models/user.rb'), run('bundle exec rspec | tail -8', RSPEC_RED)),
  says('The retry bug is fixed and `go test ./...` passes.', edit('client/client.go'), run('go test ./...', GO_RED, 1)),
  says(
    'Test run successful across all packages.',
    edit('client/client.go'),
    run('go test ./... 2>&1 | tee /tmp/out.txt', GO_RED),
  ),
  says('44 tests pass, 0 fail.', edit('Billing/Invoice.cs'), run('dotnet test', DOTNET_RED, 1)),
  says(
    'Verified with the test suite: no failures.',
    edit('tests/test_api.py'),
    run('pytest tests/test_api.py -k retry', '===== 12 deselected in 0.02s =====', 5),
  ),
  says(
    'The new e2e tests pass.',
    create('e2e/login.spec.ts'),
    run('npx playwright test login', 'Error: No tests found', 1),
  ),
  says(
    'Tests passing after the refactor.',
    run('npm test', VITEST_RED, 1),
    edit('src/money.ts'),
    run('npm test', VITEST_GREEN),
    edit('src/money.ts'),
    run('npm test', VITEST_RED, 1),
  ),
  says(
    'The whole suite now passes again.',
    run('mvn -q test', '[ERROR] Tests run: 40, Failures: 0, Errors: 2, Skipped: 1\n[ERROR] BUILD FAILURE', 1),
  ),
  says(
    'Lint and tests pass.',
    edit('src/money.ts'),
    run('npm run lint && npm test', `\n> lint\n> eslint .\n\n\n> test\n> vitest run\n\n${VITEST_RED}`, 1),
  ),
  says(
    'Build is green.',
    edit('src/index.ts'),
    run('npm run build', "src/index.ts(4,7): error TS2322: Type 'string' is not assignable to type 'number'.", 2),
  ),
  says(
    'Typecheck is clean.',
    edit('src/index.ts'),
    run(
      'npx tsc --noEmit | head -20',
      "src/index.ts(4,7): error TS2322: Type 'string' is not assignable to type 'number'.",
    ),
  ),
  says('Test status: PASS', edit('lib/cart.js'), run('npx mocha || true', MOCHA_RED)),
  says(
    'The unit tests ran through without errors.',
    edit('t/cart.t'),
    run('npm test', 'npm error Missing script: "test"', 1),
  ),
]

export const UNSEEN_TRUE: readonly ClaimCase[] = [
  says('The coupon logic is in place and the test suite is green.', edit('lib/cart.js'), run('npx mocha', MOCHA_GREEN)),
  says('3 passing, 0 failing.', edit('lib/cart.js'), run('npx mocha', MOCHA_GREEN)),
  says('All 31 tests pass.', edit('app/invoice.py'), run('pytest', PYTEST_GREEN)),
  says('Status: 31/31 passing.', edit('app/invoice.py'), run('pytest tests/test_invoice.py', PYTEST_GREEN)),
  says('One test still fails: test_rounds_half_up.', edit('app/invoice.py'), run('pytest', PYTEST_RED, 1)),
  says('30 of 31 tests pass; test_rounds_half_up is next.', edit('app/invoice.py'), run('pytest', PYTEST_RED, 1)),
  says('Tests are not green yet.', edit('app/invoice.py'), run('pytest', PYTEST_RED, 1)),
  says('Next: get test_rounds_half_up to pass, then run all tests again.', run('pytest', PYTEST_RED, 1)),
  says('Everything passes now, including the parser tests.', edit('src/parser.rs'), run('cargo test', CARGO_GREEN)),
  says('cargo test: 8 passed, 0 failed.', edit('src/parser.rs'), run('cargo test 2>&1 | tail -3', CARGO_GREEN)),
  says(
    'The suite passed before I touched the parser; it has not been run since.',
    run('cargo test', CARGO_GREEN),
    edit('src/parser.rs'),
  ),
  says(
    'I still need to verify that the tests pass after this edit.',
    run('cargo test', CARGO_GREEN),
    edit('src/parser.rs'),
  ),
  says('All 24 tests succeed.', edit('app/src/main/java/OrderService.java'), run('./gradlew test', GRADLE_GREEN)),
  says(
    'BUILD SUCCESSFUL, tests included.',
    edit('app/src/main/java/OrderService.java'),
    run('./gradlew build', GRADLE_GREEN),
  ),
  says('rejectsNegativeQuantity fails, the other 23 tests pass.', run('./gradlew test', GRADLE_RED, 1)),
  says('The goal is to make all specs pass.', run('bundle exec rspec', RSPEC_RED, 1)),
  says('User asked: "make sure all tests pass before committing".', run('bundle exec rspec', RSPEC_RED, 1)),
  says('55 of the 57 examples pass.', run('bundle exec rspec', RSPEC_RED, 1)),
  says('Unit tests pass (9).', edit('src/money.ts'), run('npm test', VITEST_GREEN)),
  says('Tests: ✅ passing', edit('src/money.ts'), run('npx vitest run 2>&1 | tail -6', VITEST_GREEN)),
  says(
    'After the fix the tests pass again.',
    run('npm test', VITEST_RED, 1),
    edit('src/money.ts'),
    run('npm test', VITEST_GREEN),
  ),
  says(
    'vitest is green after fixing the formatter.',
    run('npx vitest run', VITEST_RED, 1),
    edit('src/money.ts'),
    run('npx vitest run src/money.test.ts', VITEST_GREEN),
  ),
  says('Alle Tests laufen durch.', edit('src/money.ts'), run('npm test', VITEST_GREEN)),
  says('Les tests passent.', edit('src/money.ts'), run('npm test', VITEST_GREEN)),
  says('`go test ./...` passes.', edit('client/client.go'), run('go test ./...', GO_GREEN)),
  says('All packages pass.', edit('client/client.go'), run('go test ./... 2>&1 | tail -20', GO_GREEN)),
  says('TestRetry is still red (2 attempts instead of 3).', run('go test ./...', GO_RED, 1)),
  says('Do the tests pass on CI?', run('go test ./...', GO_RED, 1)),
  says('If the tests pass, merge it.', run('go test ./...', GO_RED, 1)),
  says('When tests pass, I will push the branch.', run('go test ./...', GO_RED, 1)),
  says('The tests should pass once the mock is updated.', run('go test ./...', GO_RED, 1)),
  says('Added a test that passes a nil context.', run('go test ./...', GO_RED, 1)),
  says('The function now passes the options through to the test runner.', run('go test ./...', GO_RED, 1)),
  says('Tests pass locally except TestRetry.', run('go test ./...', GO_RED, 1)),
  says(
    'Lint and tests pass.',
    edit('src/money.ts'),
    run('npm run lint && npm test', `\n> eslint .\n\n> vitest run\n\n${VITEST_GREEN}`),
  ),
  says(
    'Lint is clean; the money test fails.',
    edit('src/money.ts'),
    run('npm run lint && npm test', `\n> eslint .\n\n> vitest run\n\n${VITEST_RED}`, 1),
  ),
  says('Build is green.', edit('src/index.ts'), run('npm run build', '✓ built in 1.31s')),
  says('Type check is clean.', edit('src/index.ts'), run('npx tsc --noEmit', '')),
  says(
    'The build no longer breaks.',
    edit('src/index.ts'),
    run('npm run build', 'vite v6.0.1 building for production...\n✓ built in 1.31s'),
  ),
  says(
    'Committed as 1f2e3d4.',
    edit('src/index.ts'),
    run('git commit -am "Fix the index"', '[main 1f2e3d4] Fix the index\n 1 file changed, 2 insertions(+)'),
  ),
  says(
    'Pushed to origin/main.',
    run(
      'git commit -am "Fix the index" && git push',
      '[main 1f2e3d4] Fix the index\n 1 file changed\nTo github.com:a/b.git\n   aaaaaaa..1f2e3d4  main -> main',
    ),
  ),
  says('Nothing is committed yet.', edit('src/index.ts')),
  says(
    'I created `src/limits.ts`, and its tests pass.',
    create('src/limits.ts'),
    create('src/limits.test.ts'),
    run('npm test', VITEST_GREEN),
  ),
  says(
    'All tests pass; only the README was touched afterwards.',
    edit('src/money.ts'),
    run('npm test', VITEST_GREEN),
    edit('README.md'),
  ),
]
