/**
 * The installed program with the Responses and Anthropic wire formats: against mock servers and strict ones.
 *
 * @module-tag long
 */
import { describe, expect, test } from 'vitest';
import type { WireAnswer } from '../agent/wireServer.ts';
import { anthropicServer } from '../model/wires/anthropicServer.ts';
import { responsesServer } from '../model/wires/responsesServer.ts';
import { long } from './support/long.ts';
import { setUpProgram } from './support/testProgram.ts';
import { expectPairedCalls } from './support/wire.ts';

const summary = `1. Primary request and intent
The user wants MAX_LENGTH doubled in lib/constants.js.
2. Key technical decisions
None.
5. Current work status
Done.`;

const wires = ['responses', 'anthropic'] as const;

describe.each(wires)('%s', (wire) => {
  test('a call, an edit, a compaction, another model and a resumed session', long, async () => {
    const { server, work, access, ready, print } = await setUpProgram();
    const env = work.env({ ...access, CLAWDCODE_WIRE: wire });
    const edit = {
      file_path: 'lib/constants.js',
      old_string: "'use strict';",
      new_string: "'use strict'; // seen",
    };
    server.script(
      { reasoning: 'I read first.', calls: [{ name: 'Read', input: { file_path: 'lib/constants.js' } }] },
      { text: 'Now I edit.', calls: [{ name: 'Edit', input: edit }] },
      { text: 'Edited it.' },
      { text: summary },
      { text: 'The other model answers.' },
      { text: 'Resumed.' },
    );
    const terminal = await ready(['--permission-mode', 'acceptEdits'], { env });
    await terminal.submit('mark lib/constants.js as seen');
    await terminal.waitFor('Edited it.');
    await terminal.waitForIdle();
    expect(await work.read('lib/constants.js')).toContain("'use strict'; // seen");
    await terminal.submit('/compact');
    await terminal.waitForPrinted('Conversation compacted');
    await terminal.waitForIdle();
    await terminal.submit('/model mock-2');
    await terminal.waitForPrinted(/mock-2/);
    await terminal.submit('who are you?');
    await terminal.waitFor('The other model answers.');
    await terminal.waitForIdle();
    await terminal.submit('/exit');
    await terminal.exited;
    expect(await print(['-c', '-p', 'still there?'], { env })).toMatchObject({
      code: 0,
      stdout: 'Resumed.\n',
    });

    const requests = server.requests();
    expect(requests).toHaveLength(6);
    expect(server.left()).toBe(0);
    for (const request of requests) expectPairedCalls(request);
    expect(JSON.stringify(requests[1]?.messages)).toContain('use strict');
    expect(requests[4]?.model).toBe('mock-2');
    const entries = (await work.sessions())[0]?.entries ?? [];
    expect(entries.find(({ type }) => type === 'assistant')?.message.reasoning).toMatchObject({
      text: 'I read first.',
    });
    expect(entries.filter(({ subtype }) => subtype === 'compact_boundary')).toHaveLength(1);
  });

  test(
    'reasoning is sent back unchanged in the next step and after a resume, and each request can be shown',
    long,
    async () => {
      const { work, access, print } = await setUpProgram();
      const answers: readonly WireAnswer[] = [
        {
          reasoning: 'I read first.',
          calls: [{ name: 'Read', input: { file_path: 'lib/constants.js', limit: 2 } }],
        },
        { reasoning: 'It is strict.', text: 'It is strict code.' },
        { text: 'Still strict.' },
      ];
      // Requests for a title have no tools.
      let turn = 0;
      const next = (tools: unknown): WireAnswer =>
        tools === undefined ? { text: 'A title' } : (answers[turn++] ?? {});
      const strict =
        wire === 'responses'
          ? await responsesServer(({ tools }) => next(tools))
          : await anthropicServer(({ tools }) => next(tools));
      const env = work.env({ ...access, CLAWDCODE_WIRE: wire, OPENAI_BASE_URL: strict.baseUrl });
      const first = await print(['-p', 'is it strict?'], { env });
      expect(first).toMatchObject({ code: 0, stdout: 'It is strict code.\n' });
      const second = await print(['-c', '-p', '--effort', 'high', 'and now?'], { env });
      expect(second).toMatchObject({ code: 0, stdout: 'Still strict.\n' });
      expect(strict.refused).toEqual([]);
      const turns = strict.received.filter(({ text }) => text.includes('"tools"'));
      const sealed = wire === 'responses' ? 'encrypted_content":' : '"signature":';
      expect(turns.map(({ text }) => text.split(sealed).length - 1)).toEqual([0, 1, 2]);
      const effort =
        wire === 'responses'
          ? { reasoning: { effort: 'high' } }
          : { thinking: { type: 'enabled', budget_tokens: expect.any(Number) } };
      expect(JSON.parse(turns.at(-1)?.text ?? '')).toMatchObject(effort);
      const id = (await work.sessions())[0]?.entries[0]?.sessionId ?? '';
      const shown = await print(['session', 'request', id], { env });
      expect(shown).toMatchObject({ code: 0 });
      expect(JSON.parse(shown.stdout)).toEqual(JSON.parse(turns.at(-1)?.text ?? ''));
    },
  );
});
