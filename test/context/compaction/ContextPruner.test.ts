import fc from 'fast-check';
import { expect, test } from 'vitest';
import { maskStub } from '../../../src/context/compaction/ContextPruner.ts';
import { estimateTokens, HIGH } from '../../../src/context/tokens/estimate.ts';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';
import { makeEntry } from '../storage/madeUpLog.ts';
import { brokenTextOf } from '../texts.ts';

const MASK_STUB_TOKENS = 60;

type Result = NonNullable<JSONLEntry['toolResult']>;
const resultEntry = (toolResult: Partial<Result>, seq = 42): JSONLEntry =>
  makeEntry(seq, '', { type: 'tool_result', toolResult: { id: 'a', output: '', ...toolResult } });

test('a stub contains the call, its outcome, its size and a pointer', () => {
  const entry = resultEntry({
    name: 'Bash',
    output: 'starting\nTypeError: x is not a function\nexit code 1',
    status: 'error',
    display: { title: 'npm test', summary: 'exit 1 · 12.4 s' },
    original: { hash: 'a'.repeat(64), bytes: 123_456 },
  });
  expect(maskStub(entry)).toBe(
    '[Bash npm test → error, exit 1 · 12.4 s; 123456 bytes, masked: Recall("#42"); TypeError: x is not a function]',
  );
});

test('a successful result is reduced to kind and size', () => {
  const entry = resultEntry({
    name: 'Read',
    output: '     1\thello\n     2\terror: not one',
    status: 'ok',
    display: { title: 'src/a.ts', summary: '2 lines' },
  });
  expect(maskStub(entry)).toBe('[Read src/a.ts → 2 lines; 34 bytes, masked: Recall("#42")]');
});

test('a result whose call is lost, or of an older version, gets a stub too', () => {
  expect(maskStub(resultEntry({ output: { a: 1 } }))).toBe('[tool; 7 bytes, masked: Recall("#42")]');
  expect(maskStub(resultEntry({ output: undefined }))).toBe('[tool; 0 bytes, masked: Recall("#42")]');
});

test('a stub is one well-formed line of at most 60 tokens with its pointer, for any result', () => {
  const long = fc.constantFrom('x1'.repeat(300), '错误'.repeat(200), '😀'.repeat(200));
  const text = fc.oneof(brokenTextOf(60), long);
  fc.assert(
    fc.property(
      text,
      text,
      text,
      text,
      fc.constantFrom('ok', 'error', 'denied', 'interrupted', 'partial'),
      fc.nat({ max: 10_000_000 }),
      (name, title, summary, output, status, seq) => {
        const entry = resultEntry(
          {
            name,
            output: `${output}\nError: ${output}`,
            status: status as 'ok',
            display: { title, summary },
            original: { hash: 'b'.repeat(64), bytes: 2 ** 40 },
          },
          seq,
        );
        const stub = maskStub(entry);
        expect(estimateTokens(stub, HIGH)).toBeLessThanOrEqual(MASK_STUB_TOKENS);
        expect(stub).toContain(`Recall("#${seq}")`);
        expect(stub).not.toMatch(/\n|\r|\p{Surrogate}/u);
      },
    ),
    { numRuns: 200 },
  );
});
