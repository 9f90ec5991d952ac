/** Another program drives a session: prompts and control requests on standard input. */
import { describe, expect, test } from 'vitest';
import { startDriver } from './support/driver.ts';
import { setStage } from './support/stage.ts';
import { textOf } from './support/wire.ts';

describe('prompts', () => {
  test('several turns in one session; the end of the input ends the program', async () => {
    const stage = await setStage();
    stage.server.script({ text: 'One.' }, { text: 'Two.' });
    const driver = startDriver(stage);
    driver.prompt('first');
    const init = await driver.nextOf('system', 'init');
    expect(await driver.nextOf('result')).toMatchObject({ subtype: 'success', result: 'One.' });
    driver.prompt([{ type: 'text', text: 'second' }]);
    expect(await driver.nextOf('result')).toMatchObject({
      result: 'Two.',
      session_id: init.session_id,
      num_turns: 1,
    });
    expect(await driver.end()).toMatchObject({ code: 0, stderr: '' });
    const [, second] = stage.server.requests();
    expect(second?.messages.map(textOf).slice(-3)).toEqual(['first', 'One.', 'second']);
    expect(await stage.work.sessions()).toHaveLength(1);
  });

  test('prompts that arrive during a turn wait; each gets its own turn, also after the end of the input', async () => {
    const stage = await setStage();
    stage.server.script({ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' });
    const driver = startDriver(stage, ['--replay-user-messages']);
    const uuid = '11111111-2222-4333-8444-555555555555';
    for (const text of ['first', 'second']) driver.prompt(text);
    driver.prompt('third', { uuid });
    const { code } = await driver.end();
    expect(code).toBe(0);
    const results = driver.lines().filter(({ type }) => type === 'result');
    expect(results.map(({ result }) => result)).toEqual(['One.', 'Two.', 'Three.']);
    const replayed = driver.lines().filter(({ isReplay }) => isReplay === true);
    expect(replayed.map(({ message }) => (message as { content: string }).content)).toEqual([
      'first',
      'second',
      'third',
    ]);
    expect(replayed[2]?.uuid).toBe(uuid);
  });

  test('an image reaches the model', async () => {
    const stage = await setStage();
    stage.server.script({ text: 'A picture.' });
    const data = PIXEL.toString('base64');
    const driver = startDriver(stage);
    driver.prompt([
      { type: 'text', text: 'What is it?' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
    ]);
    expect(await driver.nextOf('result')).toMatchObject({ result: 'A picture.' });
    await driver.end();
    expect(JSON.stringify(stage.server.requests()[0]?.messages.at(-1))).toContain(data.slice(0, 60));
  });

  test('a message that cannot be sent is answered with an error, and the session continues', async () => {
    const stage = await setStage();
    stage.server.script({ text: 'Yes.' });
    const driver = startDriver(stage);
    driver.prompt([{ type: 'document', source: { type: 'url', url: 'https://example.com' } }]);
    expect(await driver.nextOf('result')).toMatchObject({
      is_error: true,
      errors: [expect.stringContaining('"document" are not supported')],
    });
    driver.prompt('hello');
    expect(await driver.nextOf('result')).toMatchObject({ is_error: false, result: 'Yes.' });
    expect(await driver.end()).toMatchObject({ code: 0 });
  });

  test('a line that is not JSON ends the input; what came before it runs to its end', async () => {
    const stage = await setStage();
    stage.server.script({ text: 'One.' });
    const driver = startDriver(stage);
    driver.prompt('first');
    driver.run.write('{"type":"user","message":\n');
    driver.prompt('never');
    const { code, stderr } = await driver.run.ended;
    expect(code).toBe(42);
    expect(stderr).toContain('a line of standard input is not JSON');
    expect(driver.lines().filter(({ type }) => type === 'result')).toMatchObject([{ result: 'One.' }]);
  });
});

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
