/** Outputs of test runners, compilers and linters as harnesses record them. */
export const VITEST = {
  green: `
> shop@1.4.0 test
> vitest run

 RUN  v3.2.4 /repo

 ✓ src/cart.test.ts (12 tests) 21ms
 ✓ src/price.test.ts (30 tests) 18ms

 Test Files  2 passed (2)
      Tests  42 passed (42)
   Start at  10:43:34
   Duration  1.22s (transform 104ms, setup 183ms, collect 249ms, tests 39ms)
`,
  red: `
> shop@1.4.0 test
> vitest run

 RUN  v3.2.4 /repo

 ❯ src/cart.test.ts (12 tests | 2 failed) 24ms
   × cart > applies a voucher 7ms
     → expected 900 to be 800 // Object.is equality

 FAIL  src/cart.test.ts > cart > applies a voucher
AssertionError: expected 900 to be 800 // Object.is equality

 Test Files  1 failed | 1 passed (2)
      Tests  2 failed | 40 passed (42)
   Start at  10:41:02
   Duration  1.31s
`,
  unloaded: `
 FAIL  src/price.test.ts [ src/price.test.ts ]
Error: Failed to resolve import "./tax" from "src/price.ts". Does the file exist?

 Test Files  1 failed | 1 passed (2)
      Tests  12 passed (12)
   Duration  0.91s
`,
  none: `
 RUN  v3.2.4 /repo

No test files found, exiting with code 1

include: **/*.{test,spec}.?(c|m)[jt]s?(x)
`,
}

export const JEST = {
  green: `PASS src/cart.test.js
PASS src/price.test.js

Test Suites: 2 passed, 2 total
Tests:       42 passed, 42 total
Snapshots:   0 total
Time:        1.9 s
Ran all test suites.`,
  red: `PASS src/price.test.js
FAIL src/cart.test.js
  ● cart › applies a voucher

    expect(received).toBe(expected) // Object.is equality

Test Suites: 1 failed, 1 passed, 2 total
Tests:       1 failed, 41 passed, 42 total
Snapshots:   0 total
Time:        2.075 s
Ran all test suites.`,
  none: `No tests found, exiting with code 0`,
}

export const PYTEST = {
  green: `============================= test session starts ==============================
platform linux -- Python 3.12.3, pytest-8.3.2, pluggy-1.5.0
collected 118 items

tests/test_ledger.py ..................................................... [ 44%]
tests/test_rates.py ..................................................................[100%]

============================= 118 passed in 3.41s ==============================`,
  red: `============================= test session starts ==============================
collected 118 items

tests/test_ledger.py ......F.....                                        [ 10%]

=========================== short test summary info ============================
FAILED tests/test_ledger.py::test_balances_after_refund - AssertionError: assert 10 == 0
======================== 1 failed, 117 passed in 3.52s =========================`,
  collection: `==================================== ERRORS ====================================
_____________________ ERROR collecting tests/test_rates.py _____________________
ImportError while importing test module '/repo/tests/test_rates.py'.
E   ModuleNotFoundError: No module named 'ledger.rates'
=========================== short test summary info ============================
ERROR tests/test_rates.py
!!!!!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!!!!
=============================== 1 error in 0.31s ===============================`,
  none: `============================= test session starts ==============================
collected 0 items

============================ no tests ran in 0.01s =============================`,
}

export const UNITTEST = {
  green: `......................
----------------------------------------------------------------------
Ran 22 tests in 0.104s

OK`,
  red: `.....F................
======================================================================
FAIL: test_refund (tests.test_ledger.LedgerTest)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/repo/tests/test_ledger.py", line 31, in test_refund
AssertionError: 10 != 0

----------------------------------------------------------------------
Ran 22 tests in 0.112s

FAILED (failures=1)`,
}

export const GO = {
  green: `ok  	example.org/queue/cmd/queue	0.412s
ok  	example.org/queue/internal/broker	(cached)
?   	example.org/queue/internal/version	[no test files]
ok  	example.org/queue/internal/store	1.204s`,
  red: `ok  	example.org/queue/cmd/queue	0.398s
--- FAIL: TestBrokerAcks (0.03s)
    broker_test.go:61: unacked = 1, want 0
FAIL
FAIL	example.org/queue/internal/broker	0.244s
ok  	example.org/queue/internal/store	1.187s
FAIL`,
  unbuilt: `# example.org/queue/internal/broker [example.org/queue/internal/broker.test]
internal/broker/broker_test.go:14:9: undefined: NewBroker
FAIL	example.org/queue/internal/broker [build failed]
FAIL`,
  none: `testing: warning: no tests to run
PASS
ok  	example.org/queue/internal/broker	0.101s [no tests to run]`,
}

export const CARGO = {
  green: `   Compiling codec v0.3.0 (/repo)
    Finished \`test\` profile [unoptimized + debuginfo] target(s) in 2.11s
     Running unittests src/lib.rs (target/debug/deps/codec-9e1c)

running 17 tests
test frame::tests::round_trip ... ok

test result: ok. 17 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.02s

   Doc-tests codec

running 0 tests

test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s`,
  red: `running 17 tests
test frame::tests::round_trip ... FAILED

failures:

---- frame::tests::round_trip stdout ----
thread 'frame::tests::round_trip' panicked at src/frame.rs:88:9:
assertion \`left == right\` failed

test result: FAILED. 16 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.02s

error: test failed, to rerun pass \`--lib\``,
  uncompiled: `   Compiling codec v0.3.0 (/repo)
error[E0382]: borrow of moved value: \`buffer\`
  --> src/frame.rs:41:17
error: could not compile \`codec\` (lib test) due to 1 previous error`,
  filtered: `running 0 tests

test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 17 filtered out; finished in 0.00s`,
}

export const MAVEN = {
  green: `[INFO] Tests run: 64, Failures: 0, Errors: 0, Skipped: 2
[INFO] ------------------------------------------------------------------------
[INFO] BUILD SUCCESS
[INFO] Total time:  14.203 s`,
  red: `[ERROR] Failures:
[ERROR]   BookingTest.rejectsOverlap:44 expected: <false> but was: <true>
[ERROR] Tests run: 64, Failures: 1, Errors: 0, Skipped: 2
[INFO] ------------------------------------------------------------------------
[INFO] BUILD FAILURE`,
}

export const RSPEC = {
  green: `Finished in 4.2 seconds (files took 2.1 seconds to load)
203 examples, 0 failures, 3 pending`,
  red: `Finished in 4.4 seconds (files took 2.1 seconds to load)
203 examples, 4 failures, 3 pending

Failed examples:

rspec ./spec/requests/login_spec.rb:18 # Login locks the account`,
}

export const NODE_TEST = {
  green: `✔ parses a header (1.2ms)
✔ parses a body (0.4ms)
ℹ tests 2
ℹ suites 0
ℹ pass 2
ℹ fail 0
ℹ cancelled 0
ℹ skipped 0`,
  red: `✔ parses a header (1.2ms)
✖ parses a body (0.9ms)
ℹ tests 2
ℹ suites 0
ℹ pass 1
ℹ fail 1
ℹ cancelled 0
ℹ skipped 0`,
}

export const MOCHA = {
  green: `  router
    ✔ matches a path
    ✔ falls through

  2 passing (9ms)`,
  red: `  router
    ✔ matches a path
    1) falls through

  1 passing (9ms)
  1 failing`,
  none: `

  0 passing (1ms)
`,
}

export const PHPUNIT = {
  green: `...............................................................  63 / 63 (100%)

Time: 00:01.204, Memory: 28.00 MB

OK (63 tests, 141 assertions)`,
  red: `There was 1 failure:

1) App\\Tests\\BasketTest::testTotals
Failed asserting that 12 matches expected 11.

FAILURES!
Tests: 63, Assertions: 140, Failures: 1.`,
}

export const DOTNET = {
  green: `Passed!  - Failed:     0, Passed:    88, Skipped:     1, Total:    89, Duration: 2 s - Depot.Tests.dll (net8.0)`,
  red: `  Failed Depot.Tests.StockTests.Reserves [12 ms]
Failed!  - Failed:     1, Passed:    87, Skipped:     1, Total:    89, Duration: 2 s - Depot.Tests.dll (net8.0)`,
}

export const ESLINT_RED = `/repo/src/cart.ts
  14:5  error  'total' is assigned a value but never used  @typescript-eslint/no-unused-vars

✖ 1 problem (1 error, 0 warnings)`
