import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LogView, viewOf } from '../../../src/context/history/view.ts';
import { RequestSizer } from '../../../src/context/request/RequestSizer.ts';
import type { ProjectionPolicy } from '../../../src/context/request/standardMessages.ts';
import { TokenCounter } from '../../../src/context/TokenCounter.ts';
import type { TokenEncoder } from '../../../src/context/tokens/exact/vocabulary.ts';
import type { ToolSchema } from '../../../src/protocol/messages.ts';
import { madeUpNewEntry } from '../../madeUpEntry.ts';
import { LogMaker } from '../history/logMaker.ts';

const policy: ProjectionPolicy = {};
const tools: readonly ToolSchema[] = [{ name: 'Read', description: 'Reads a file.', parameters: {} }];
const encoder: TokenEncoder = {
  count: async (_, texts) => texts.map(({ length }) => length),
  close: async () => undefined,
};

type Op = 'prompt' | 'step' | 'open' | 'reminder' | 'clip' | 'remove' | 'refine' | 'model';

test('measuring a request as it grows gives the same size as measuring it at once', {
  tags: 'long',
}, async () => {
  const ops = fc.constantFrom<Op>(
    ...(['prompt', 'step', 'step', 'open', 'reminder', 'clip', 'remove', 'refine', 'model'] as const),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(ops, fc.string({ maxLength: 40 }), fc.boolean()), { maxLength: 120 }),
      async (program) => {
        const counter = new TokenCounter({ encoder });
        const log = new LogMaker();
        const growing = new LogView();
        const sizer = new RequestSizer(counter);
        for (const [op, text, look] of program) {
          await apply(op, text, log, counter);
          if (!look) continue;
          const sizes = sizer.of(growing.of([...log.entries]), tools, policy);
          expect(sizes).toEqual(new RequestSizer(counter).of(viewOf(log.entries), tools, policy));
        }
      },
    ),
    { numRuns: 100 },
  );
});

test('counts a result after other messages, wherever its call is', () => {
  const counter = new TokenCounter();
  for (const before of [30, 31, 32, 63]) {
    const log = new LogMaker();
    const growing = new LogView();
    const sizer = new RequestSizer(counter);
    const check = (): void =>
      expect(sizer.of(growing.of([...log.entries]), tools, policy)).toEqual(
        new RequestSizer(counter).of(viewOf(log.entries), tools, policy),
      );
    for (let index = 0; index < before; index++) log.reply(`reply ${index}`);
    log.open('looking');
    const id = log.entries.at(-1)?.tool?.id ?? '';
    for (const text of ['accept edits', 'plan']) log.note('mode', text);
    check();
    const output = 'alpha beta '.repeat(50);
    log.add({ type: 'tool_result', message: { role: 'user', content: '' }, toolResult: { id, output } });
    check();
  }
});

async function apply(op: Op, text: string, log: LogMaker, counter: TokenCounter): Promise<void> {
  const system = (data: object) =>
    log.add(
      madeUpNewEntry({
        type: 'system',
        subtype: 'reduction',
        message: { role: 'system', content: 'note' },
        data: { reason: '', preTokens: 1, ...data },
      }),
    );
  const some = log.entries.filter((_, index) => index % 7 === text.length % 7).map(({ uuid }) => uuid);
  switch (op) {
    case 'prompt':
      return void log.prompt(text);
    case 'step':
      return void log.step(text, text, 'output');
    case 'open':
      return void log.open(text);
    case 'reminder':
      return void log.note('reminder', text);
    case 'clip':
      return void system({ kind: 'clip', replacements: some.map((uuid) => ({ uuid, output: text })) });
    case 'remove':
      return void system({ kind: 'remove', removed: some });
    case 'refine':
      counter.setModel({ tokenizer: 'o200k_base' });
      await counter.countTextAsync(text);
      return;
    case 'model':
      return counter.setModel({ tokenizer: text.length % 2 === 0 ? 'o200k_base' : 'unknown' });
  }
}
