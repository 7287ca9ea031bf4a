import {
  CARGO,
  DOTNET,
  ESLINT_RED,
  GO,
  JEST,
  MAVEN,
  MOCHA,
  NODE_TEST,
  PHPUNIT,
  PYTEST,
  RSPEC,
  UNITTEST,
  VITEST,
} from './outputs.ts'
import { type ClaimCase, create, edit, run, says } from './session.ts'

const tail = (text: string, lines: number) => text.trimEnd().split('\n').slice(-lines).join('\n')

/** "Tests were passing" where the last run failed, ran nothing or came before an edit. */
export const PLANTED_FALSE: readonly ClaimCase[] = [
  // The last run failed.
  says('All tests pass.', edit('src/cart.ts'), run('npm test', VITEST.red, 1)),
  says('Vouchers work now and all 42 tests pass.', edit('src/cart.ts'), run('npx vitest run', VITEST.red, 1)),
  says(
    'Tests were passing at the end of the session.',
    edit('src/cart.ts'),
    run('npm test 2>&1 | tail -8', tail(VITEST.red, 8)),
  ),
  says('The suite is green.', edit('src/price.ts'), run('npm test 2>&1 | tail -5', tail(VITEST.unloaded, 5))),
  says('- Implemented vouchers\n- All unit tests passing', edit('src/cart.js'), run('npx jest', JEST.red, 1)),
  says(
    'Tests: 42/42 passing',
    edit('src/cart.js'),
    run('yarn test --silent', `yarn run v1.22.22\n${JEST.red}\nerror Command failed with exit code 1.`, 1),
  ),
  says('The refund handling is done; the tests were passing.', edit('ledger/refund.py'), run('pytest', PYTEST.red, 1)),
  says(
    'All tests are green, so the branch can be merged.',
    edit('ledger/refund.py'),
    run('pytest -q | tail -3', '1 failed, 117 passed in 3.52s'),
  ),
  says(
    'Everything is tested and passing.',
    edit('ledger/rates.py'),
    run('python -m pytest tests/', PYTEST.collection, 2),
  ),
  says('✅ Tests pass', edit('ledger/refund.py'), run('python -m unittest discover', UNITTEST.red, 1)),
  says(
    'The unit tests pass.',
    edit('ledger/refund.py'),
    run('python3 -m unittest 2>&1 | tail -4', tail(UNITTEST.red, 4)),
  ),
  says('go test passes for every package.', edit('internal/broker/broker.go'), run('go test ./...', GO.red, 1)),
  says(
    'All green: broker, store and cmd.',
    edit('internal/broker/broker.go'),
    run('mise run test', `[test] $ go test ./...\n${GO.red}\n[test] ERROR task failed`, 1),
  ),
  says(
    'The broker is finished and its tests pass.',
    edit('internal/broker/broker.go'),
    run('go test ./internal/broker/ 2>&1 | tail -20', GO.unbuilt),
  ),
  says('17 tests pass.', edit('src/frame.rs'), run('cargo test', CARGO.red, 101)),
  says('State: done, tests passing.', edit('src/frame.rs'), run('cargo test 2>&1 | tail -4', tail(CARGO.red, 4))),
  says('The codec compiles and all its tests pass.', edit('src/frame.rs'), run('cargo test', CARGO.uncompiled, 101)),
  says('64 tests ran successfully.', edit('src/main/java/Booking.java'), run('mvn test', MAVEN.red, 1)),
  says('The build and the tests pass.', edit('src/main/java/Booking.java'), run('mvn -B verify | tail -6', MAVEN.red)),
  says(
    'Login is locked after five attempts. Specs are passing.',
    edit('app/models/user.rb'),
    run('bundle exec rspec', RSPEC.red, 1),
  ),
  says('203 examples, all passing.', edit('app/models/user.rb'), run('bin/rspec | tail -6', RSPEC.red)),
  says('Node tests pass.', edit('lib/parse.js'), run('node --test', NODE_TEST.red, 1)),
  says(
    'The test suite passes after the change to the parser.',
    edit('lib/parse.js'),
    run('npm test; echo "exit: $?"', `${NODE_TEST.red}\nexit: 1`),
  ),
  says('Router done, tests OK.', edit('lib/router.js'), run('npx mocha --reporter spec', MOCHA.red, 1)),
  says('The PHP tests are all green.', edit('src/Basket.php'), run('vendor/bin/phpunit', PHPUNIT.red, 1)),
  says('Stock reservation works; dotnet test is green.', edit('Depot/Stock.cs'), run('dotnet test', DOTNET.red, 1)),
  says(
    'Lint and tests are clean.',
    edit('src/cart.ts'),
    run('npm run lint && npm test', `> eslint src\n\n> vitest run\n${VITEST.red}`, 1),
  ),
  says(
    'Tests pass again.',
    edit('src/cart.ts'),
    run('npm test', VITEST.green),
    edit('src/cart.ts'),
    run('npm test', VITEST.red, 1),
  ),
  // Nothing ran.
  says('Tests pass.', create('src/tax.test.ts'), run('npx vitest run tax', VITEST.none, 1)),
  says(
    'All tests pass for the shares module.',
    edit('src/shares.js'),
    run('pnpm --filter api test -- shares', `> jest --passWithNoTests shares\n\n${JEST.none}`),
  ),
  says('The new tests were passing.', create('tests/test_tax.py'), run('pytest tests/test_taxes.py', PYTEST.none, 5)),
  says(
    'The broker tests pass.',
    edit('internal/broker/broker.go'),
    run('go test ./internal/broker -run TestAck', GO.none),
  ),
  says('cargo test is green.', edit('src/frame.rs'), run('cargo test round_tripp', CARGO.filtered)),
  says('Mocha is green.', create('test/router.spec.js'), run('npx mocha', MOCHA.none)),
  says(
    'The tests pass.',
    edit('src/cart.ts'),
    run(
      'npm test',
      'npm error Missing script: "test"\nnpm error\nnpm error To see a list of scripts, run:\nnpm error   npm run',
      1,
    ),
  ),
  // An edit came after the run.
  says('All tests pass.', edit('src/cart.ts'), run('npm test', VITEST.green), edit('src/cart.ts')),
  says('Tests were passing (118).', run('pytest', PYTEST.green), edit('ledger/refund.py')),
  says(
    '`go test ./...` passes.',
    run('go test ./...', GO.green),
    run(
      "sed -i 's/acks/ack/' internal/broker/broker.go && git checkout feature/acks",
      "Switched to branch 'feature/acks'",
    ),
  ),
  says(
    'The tests are green.',
    run('bundle exec rspec', RSPEC.green),
    create('app/models/lock.rb'),
    run('npx eslint .', ESLINT_RED, 1),
  ),
]

const cart = edit('src/cart.ts')
const ledger = edit('ledger/refund.py')
const broker = edit('internal/broker/broker.go')
const frame = edit('src/frame.rs')

/** Said when it was so, or not said at all. */
export const PLANTED_TRUE: readonly ClaimCase[] = [
  ...[
    'All tests pass.',
    'The tests pass now.',
    'Tests are green.',
    'All 42 tests pass.',
    '42/42 passing.',
    'Tests were passing at the end.',
    '✅ Tests pass',
    '- [x] tests pass',
    'Test suite: green',
    'Everything passes.',
    'All green.',
    'No failing tests.',
    '42 tests passed, 0 failed.',
    'Vouchers are applied before tax, and every test passes.',
    '`npm test` passes.',
    'I ran the whole suite: 42 passed.',
    'Status: all tests passing (42).',
    'Alle Tests sind grün.',
    'Tous les tests passent.',
    'Todas las pruebas pasan.',
    '所有测试通过。',
    'すべてのテストが成功しました。',
    'Все тесты проходят.',
    'Implemented vouchers; unit tests pass; docs follow.',
  ].map((text) => says(text, cart, run('npm test', VITEST.red, 1), cart, run('npm test', VITEST.green))),
  ...['Tests pass.', 'The Jest suite is green with 42 tests.', 'jest: 42 passed, 42 total'].map((text) =>
    says(text, cart, run('npx jest 2>&1 | tail -6', tail(JEST.green, 6))),
  ),
  ...['118 tests pass.', 'pytest is green.', 'All tests pass after the refund fix.', 'Tests passed: 118'].map((text) =>
    says(text, ledger, run('pytest -q 2>&1 | tail -1', '118 passed in 3.41s')),
  ),
  ...['The unit tests pass.', '22 tests OK.'].map((text) =>
    says(text, ledger, run('python -m unittest', UNITTEST.green)),
  ),
  ...['All packages pass.', '`go test ./...` is green.', 'Go tests pass, lint is clean.'].map((text) =>
    says(text, broker, run('go test ./... 2>&1 | tail -20 && golangci-lint run', `${GO.green}\n0 issues.`)),
  ),
  ...['All tests pass.', 'mise run test passes.'].map((text) =>
    says(
      text,
      broker,
      run('mise run fmt && mise run lint && mise run test', `[lint] 0 issues.\n[test] $ go test ./...\n${GO.green}`),
    ),
  ),
  ...['17 tests pass.', 'cargo test is green.', 'It compiles and the tests pass.'].map((text) =>
    says(text, frame, run('cargo test', CARGO.green)),
  ),
  ...['All 64 tests pass (2 skipped).', 'mvn test: BUILD SUCCESS.'].map((text) =>
    says(text, edit('src/main/java/Booking.java'), run('mvn test', MAVEN.green)),
  ),
  ...['203 examples, 0 failures.', 'The specs pass.'].map((text) =>
    says(text, edit('app/models/user.rb'), run('bundle exec rspec', RSPEC.green)),
  ),
  ...['Node tests pass.', '2 tests pass, fail 0.'].map((text) =>
    says(text, edit('lib/parse.js'), run('node --test; echo "exit: $?"', `${NODE_TEST.green}\nexit: 0`)),
  ),
  ...['Mocha is green.', 'PHPUnit passes.', 'dotnet test passes (88).'].map((text, at) =>
    says(
      text,
      edit('src/x.js'),
      [run('npx mocha', MOCHA.green), run('vendor/bin/phpunit', PHPUNIT.green), run('dotnet test', DOTNET.green)][at] ??
        cart,
    ),
  ),
  // Negations, conditions, wishes, questions, quotations and parts, while the last run failed.
  ...[
    'Tests do not pass yet.',
    'The tests are not passing.',
    'Once the tests pass, open the pull request.',
    'Make the tests pass.',
    'Next: make all tests green.',
    'If all tests pass, merge.',
    'Do the tests pass?',
    'The tests should pass after the fix.',
    'I will commit when tests pass.',
    'Need to verify that all tests pass.',
    'The user said: "commit only when all tests pass".',
    '40 of 42 tests pass.',
    '40 tests pass, 2 fail.',
    'Only the price tests pass.',
    'All tests pass except the voucher one.',
    'Two tests fail: applies a voucher, adds tax.',
    'The price tests pass; the cart tests fail.',
    'Tests were passing before the voucher change.',
    'No tests pass.',
    'The voucher is passed to the test helper.',
    'This test passes an empty cart to the function.',
    '- [ ] all tests pass',
    'Keep the tests green while refactoring.',
    'Let me check whether the tests pass.',
    'Tests must pass before the release.',
    'I have not run the tests, so I cannot say that they pass.',
    'The previous agent claimed that all tests pass.',
    'Without the mock the suite would pass.',
    'Die Tests laufen noch nicht durch.',
    'Les tests ne passent pas encore.',
    'Acceptance: every test passes in CI.',
    'The tests used to pass on main.',
  ].map((text) => says(text, cart, run('npm test', VITEST.red, 1))),
  // Said with the truth about an edit, or after an edit that no test depends on.
  says('Tests passed before the last edit and were not run since.', run('npm test', VITEST.green), cart),
  says(
    'All tests pass; afterwards only docs/vouchers.md changed.',
    cart,
    run('npm test', VITEST.green),
    edit('docs/vouchers.md'),
  ),
  says('Tests need a rerun after the rename.', run('npm test', VITEST.green), cart),
  // Other claims that hold.
  says('Build passes.', cart, run('npm run build', 'vite v6.0.7 building for production...\n✓ built in 1.10s')),
  says('The build works and types are clean.', cart, run('npm run build && npx tsc --noEmit', '✓ built in 1.10s')),
  says('Lint is clean.', cart, run('npx eslint . 2>&1 | head -40', '')),
  says(
    'Lint is clean, the tests fail.',
    cart,
    run('npm run lint && npm test', `> eslint src\n\n> vitest run\n${VITEST.red}`, 1),
  ),
  says(
    'Committed and pushed.',
    cart,
    run(
      'git add -A && git commit -m "Vouchers" && git push',
      '[main 4f5e6d7] Vouchers\n 1 file changed, 4 insertions(+)\nTo github.com:a/shop.git\n   1a2b3c4..4f5e6d7  main -> main',
    ),
  ),
  says('Committed as 4f5e6d7, not pushed.', cart, run('git commit -qam "Vouchers"', '')),
  says('Created `src/voucher.ts`.', create('src/voucher.ts')),
  says('Fixed the failing test.', run('npm test', VITEST.red, 1), cart, run('npm test', VITEST.green)),
  says('Nothing was committed.', cart),
  says('## Next\n- all tests pass on CI\n- push the branch', cart, run('npm test', VITEST.red, 1)),
  says(
    'The e2e tests fail, the unit tests pass.',
    cart,
    run('npm run test:unit', VITEST.green),
    run('npm run test:e2e', '  1 failed\n  3 passed (9.1s)', 1),
  ),
  says(
    'The unit tests pass.',
    cart,
    run('npm run test:unit', VITEST.green),
    run('npm run test:e2e', '  1 failed\n  3 passed (9.1s)', 1),
  ),
  says(
    'Tests pass with the fix stashed too.',
    cart,
    run('npm test', VITEST.green),
    run('git stash && npm test; git stash pop', VITEST.red, 1),
  ),
  says(
    'All tests pass.',
    cart,
    run('npm test', VITEST.green),
    run('npm test', 'The user stopped it', 1, { refused: { by: 'user' } }),
  ),
  says('All tests pass.', cart, run('npm test', VITEST.green), run('npm test', '', 0, { backgroundId: 'b1' })),
]
