/** Runs before each test file: a home of our own, and none of the developer's keys or settings. */
const home = process.env.CLAWDCODE_TEST_HOME;
if (home === undefined) throw new Error('test/globalSetup.ts did not run');
process.env.HOME = home;
for (const name of Object.keys(process.env)) {
  if (name.startsWith('OPENAI_') || (name.startsWith('CLAWDCODE_') && !name.startsWith('CLAWDCODE_TEST_'))) {
    delete process.env[name];
  }
}
