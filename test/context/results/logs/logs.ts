/** Ten tool outputs: mostly noise, with the important lines at the start, in the middle or at the end. */
import { LogBuilder, type TestLog } from './testLog.ts';

const name = (index: number): string =>
  ['user', 'order', 'invoice', 'session', 'search', 'report', 'mail', 'token'][index % 8] ?? 'x';

export function testLogs(): readonly TestLog[] {
  return [tsc(), jest(), vitest(), pytest(), cargo(), cargoTest(), goTest(), gradle(), docker(), npm()];
}

function tsc(): TestLog {
  const log = new LogBuilder().say('> app@2.3.1 build', '> tsc -p tsconfig.json --listFiles', '');
  log.repeat(400, (i) => `/proj/app/node_modules/@types/node/${name(i)}${i}.d.ts`);
  for (let i = 0; i < 24; i++) {
    const place = `src/${name(i)}/handler${i}.ts(${12 + i},${5 + (i % 7)})`;
    log.error(
      `${place}: error TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.`,
      place,
    );
    log.say(`  Type 'string' is not assignable to type 'number'.`);
  }
  return log.repeat(300, (i) => `/proj/app/src/${name(i)}/file${i}.ts`).done('tsc', 2);
}

function jest(): TestLog {
  const log = new LogBuilder().say('> jest --ci', '');
  log.repeat(150, (i) => `PASS src/${name(i)}/part${i}.test.js (${(i % 9) + 1}.${i % 10} s)`);
  for (let i = 0; i < 6; i++) {
    const file = `src/${name(i)}/bad${i}.test.js`;
    log.error(`FAIL ${file}`).error(`  ● ${name(i)} › adds tax ${i}`);
    log.say(
      '',
      '    expect(received).toBe(expected) // Object.is equality',
      '',
      '    Expected: 119',
      `    Received: ${100 + i}`,
      '',
    );
    log.say(
      `      ${20 + i} |   const total = sum(items);`,
      `    > ${21 + i} |   expect(total).toBe(119);`,
      '         |                 ^',
      '',
    );
    log.place(`      at Object.<anonymous> (${file}:${21 + i}:17)`, `${file}:${21 + i}:17`);
    log.say(
      '      at Promise.then.completed (node_modules/jest-circus/build/utils.js:298:28)',
      '      at new Promise (<anonymous>)',
      '      at _runTest (node_modules/jest-circus/build/run.js:252:3)',
      '',
    );
    log.repeat(30, (k) => `PASS src/${name(k)}/more${i}-${k}.test.js`);
  }
  return log
    .say(
      'Test Suites: 6 failed, 330 passed, 336 total',
      'Tests:       6 failed, 1912 passed, 1918 total',
      'Time:        41.2 s',
    )
    .done('jest', 1);
}

function vitest(): TestLog {
  const log = new LogBuilder().say(' RUN  v3.2.4 /proj/app', '');
  log.repeat(250, (i) => ` ✓ test/${name(i)}/unit${i}.test.ts (${(i % 12) + 1} tests) ${i % 90}ms`);
  log.say('⎯⎯⎯⎯⎯⎯⎯ Failed Tests 8 ⎯⎯⎯⎯⎯⎯⎯', '');
  for (let i = 0; i < 8; i++) {
    const place = `test/${name(i)}/broken${i}.test.ts:${31 + i}:20`;
    log.error(` FAIL  test/${name(i)}/broken${i}.test.ts > keeps the order of ${name(i)}s`);
    log.error(`AssertionError: expected [ 1, 2, ${i} ] to deeply equal [ 1, ${i}, 2 ]`);
    log.say(
      '',
      '- Expected',
      '+ Received',
      '',
      '  [',
      '    1,',
      `-   ${i},`,
      '    2,',
      `+   ${i},`,
      '  ]',
      '',
    );
    log.place(` ❯ ${place}`, place);
    log.say(
      `     ${30 + i}|     const order = await list();`,
      `     ${31 + i}|     expect(order).toEqual(wanted);`,
      '       |                    ^',
      '',
    );
  }
  log.repeat(200, (i) => `[debug] worker ${i % 4}: cleaned up port ${40_000 + i} in ${i % 30} ms`);
  return log
    .say(
      ' Test Files  8 failed | 250 passed (258)',
      '      Tests  8 failed | 1480 passed (1488)',
      '   Duration  12.80s',
    )
    .done('vitest', 1);
}

function pytest(): TestLog {
  const log = new LogBuilder().say(
    '============================= test session starts ==============================',
    'platform linux -- Python 3.12.3, pytest-8.3.2',
    'collected 812 items',
    '',
  );
  log.repeat(120, (i) => `tests/test_${name(i)}_${i}.py ........................ [ ${Math.floor(i / 1.3)}%]`);
  log.say('=================================== FAILURES ===================================');
  for (let i = 0; i < 7; i++) {
    log.say(
      `______________________ test_${name(i)}_total ______________________`,
      '',
      '    def test_total(client):',
      `        response = client.get("/${name(i)}")`,
    );
    log.say('>       assert response.status_code == 200');
    log
      .error('E       assert 500 == 200')
      .say(`E        +  where 500 = <Response [500] ${i}>.status_code`, '');
    const place = `tests/test_${name(i)}_${i}.py:${40 + i}`;
    log.error(`${place}: AssertionError`, place);
    log.say('---------------------------- Captured stdout call -----------------------------');
    log.repeat(40, (k) => `INFO  request ${i}-${k} served from cache in ${k} ms`);
  }
  log.say('=========================== short test summary info ============================');
  for (let i = 0; i < 7; i++)
    log.error(`FAILED tests/test_${name(i)}_${i}.py::test_${name(i)}_total - assert 500 == 200`);
  return log
    .say('================== 7 failed, 805 passed in 63.20s (0:01:03) ==================')
    .done('pytest', 1);
}

function cargo(): TestLog {
  const log = new LogBuilder();
  log.repeat(200, (i) => `   Compiling ${name(i)}-error-${i} v0.${i % 9}.${i % 5}`);
  for (let i = 0; i < 14; i++) {
    log.error(`error[E0308]: mismatched types`);
    const place = `src/${name(i)}/model${i}.rs:${80 + i}:14`;
    log.place(`  --> ${place}`, place);
    log.say(
      '   |',
      `${80 + i} |         total: price,`,
      '   |                ^^^^^ expected `u64`, found `f64`',
      '   |',
      '   = note: see `rustc --explain E0308`',
      '',
    );
    log.repeat(12, (k) => `warning: unused variable: \`tmp${i}${k}\``);
  }
  log.say('For more information about this error, try `rustc --explain E0308`.');
  return log
    .error('error: could not compile `shop` (bin "shop") due to 14 previous errors; 168 warnings emitted')
    .done('cargo build', 101);
}

function cargoTest(): TestLog {
  const log = new LogBuilder().say(
    '   Compiling shop v0.4.0 (/proj/shop)',
    '    Finished `test` profile in 12.31s',
    '',
    'running 420 tests',
  );
  log.repeat(300, (i) => `test ${name(i)}::tests::case_${i} ... ok`);
  for (let i = 0; i < 5; i++) log.error(`test ${name(i)}::tests::rounding_${i} ... FAILED`);
  log.repeat(115, (i) => `test ${name(i)}::more::case_${i} ... ok`).say('', 'failures:', '');
  for (let i = 0; i < 5; i++) {
    const place = `src/${name(i)}.rs:${200 + i}:9`;
    log.say(`---- ${name(i)}::tests::rounding_${i} stdout ----`);
    log.error(`thread '${name(i)}::tests::rounding_${i}' panicked at ${place}:`, place);
    log.say(
      'assertion `left == right` failed',
      '  left: 1199',
      ` right: ${1200 + i}`,
      'note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace',
      '',
    );
  }
  log.say(
    'test result: FAILED. 415 passed; 5 failed; 0 ignored; 0 measured; 0 filtered out; finished in 3.10s',
    '',
  );
  return log.error('error: test failed, to rerun pass `--lib`').done('cargo test', 101);
}

function goTest(): TestLog {
  const log = new LogBuilder();
  log.repeat(
    160,
    (i) => `=== RUN   Test${name(i)}/case_${i}\n--- PASS: Test${name(i)}/case_${i} (0.0${i % 10}s)`,
  );
  for (let i = 0; i < 8; i++) {
    log.say(`=== RUN   TestBroken${i}`);
    const place = `${name(i)}_test.go:${55 + i}`;
    log.place(`    ${place}: got status 502, want 200`, place);
    log.error(`--- FAIL: TestBroken${i} (0.02s)`);
    log.repeat(25, (k) => `=== RUN   TestFine${i}/sub_${k}\n--- PASS: TestFine${i}/sub_${k} (0.00s)`);
  }
  log.error('panic: runtime error: index out of range [3] with length 3');
  log.say(
    '',
    'goroutine 41 [running]:',
    'testing.tRunner.func1.2({0x5b0f20, 0xc0000182a0})',
    '\t/usr/local/go/src/testing/testing.go:1631 +0x24a',
    'example.com/shop/cart.(*Cart).Item(...)',
  );
  log.place('\t/proj/shop/cart/cart.go:88 +0x1d', 'cart/cart.go:88');
  return log
    .error('FAIL\texample.com/shop/cart\t0.512s')
    .say('ok  \texample.com/shop/mail\t0.101s')
    .error('FAIL')
    .done('go test', 1);
}

function gradle(): TestLog {
  const log = new LogBuilder().say('Starting a Gradle Daemon, 1 busy Daemon could not be reused', '');
  log.repeat(250, (i) => `> Task :${name(i)}:compileJava${i} UP-TO-DATE`);
  for (let i = 0; i < 6; i++) {
    const place = `/proj/shop/src/main/java/shop/Service${i}.java:${33 + i}`;
    log.error(`${place}: error: cannot find symbol`, place);
    log.say(
      `    repository.findAll${i}();`,
      '              ^',
      `  symbol:   method findAll${i}()`,
      '  location: variable repository of type Repository',
    );
  }
  log.repeat(
    200,
    (i) => `Note: /proj/shop/build/generated/Mapper${i}.java uses unchecked or unsafe operations.`,
  );
  log.say('6 errors', '').error('FAILURE: Build failed with an exception.');
  log.say('', '* What went wrong:').error("Execution failed for task ':app:compileJava'.");
  log.say(
    '> Compilation failed; see the compiler error output for details.',
    '',
    '* Try:',
    '> Run with --info option to get more log output.',
    '',
  );
  return log
    .error('BUILD FAILED in 9s')
    .say('17 actionable tasks: 3 executed, 14 up-to-date')
    .done('gradle', 1);
}

function docker(): TestLog {
  const log = new LogBuilder().say('#1 [internal] load build definition from Dockerfile', '#1 DONE 0.0s');
  log.repeat(
    350,
    (i) =>
      `#9 ${(i / 10).toFixed(1)} Get:${i} http://deb.debian.org/debian bookworm/main amd64 lib${name(i)}${i} amd64 1.${i} [${i} kB]`,
  );
  const place = 'src/server.ts(14,22)';
  log.say('#12 [build 5/6] RUN npm run build', '#12 0.512 > shop@1.0.0 build', '#12 0.512 > tsc');
  log.error(
    `#12 3.871 ${place}: error TS2307: Cannot find module './routes.js' or its corresponding type declarations.`,
    place,
  );
  log.error('#12 ERROR: process "/bin/sh -c npm run build" did not complete successfully: exit code: 2');
  log.say('------', ' > [build 5/6] RUN npm run build:', '------').place('Dockerfile:17', 'Dockerfile:17');
  log.say(
    '--------------------',
    '  15 |     COPY . .',
    '  17 | >>> RUN npm run build',
    '--------------------',
  );
  return log
    .error(
      'ERROR: failed to solve: process "/bin/sh -c npm run build" did not complete successfully: exit code: 2',
    )
    .repeat(120, (i) => `#14 cleaning layer ${i} sha256:${'ab'.repeat(16)}`)
    .done('docker', 1);
}

function npm(): TestLog {
  const log = new LogBuilder();
  log.repeat(220, (i) => `npm warn deprecated ${name(i)}-lib@${i}.0.1: this version is no longer supported`);
  log
    .error('npm error code 1')
    .error('npm error path /proj/app/node_modules/better-sqlite3')
    .error('npm error command failed');
  log.repeat(260, (i) => `npm error gyp info spawn args '-D${name(i)}_${i}=1'`);
  log.error(
    "npm error ../src/better_sqlite3.cpp:482:10: fatal error: 'sqlite3.h' file not found",
    '../src/better_sqlite3.cpp:482:10',
  );
  log.repeat(150, (i) => `npm error gyp verb cli option ${i}`);
  log.error('npm error gyp ERR! build error').error('npm error gyp ERR! not ok');
  return log
    .say(
      'npm error A complete log of this run can be found in: /home/dev/.npm/_logs/2026-01-05T10_12_33_120Z-debug-0.log',
    )
    .done('npm install', 1);
}
