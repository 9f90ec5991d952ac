import { stat } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { MAX_IMAGE_BYTES } from '../../src/protocol/files/images.ts';
import { redactDeep } from '../../src/redact/redact.ts';
import { says } from '../agent/scriptedModel.ts';
import { startAgent } from '../agent/testAgent.ts';

/** As large as images may be: a PNG's first bytes and noise that cannot be compressed. */
function largestImage(): string {
  const bytes = Buffer.alloc(MAX_IMAGE_BYTES);
  let seed = 1;
  for (let at = 0; at < bytes.length; at++) {
    seed = (seed * 1103515245 + 12345) & 0x7fffffff;
    bytes[at] = seed >> 16;
  }
  Buffer.from('89504e470d0a1a0a0000000d4948445200000fa000000bb8', 'hex').copy(bytes);
  return bytes.toString('base64');
}

test('the largest image is stored once, counted by its pixels, and kept after a resume', {
  tags: 'long',
}, async () => {
  const data = largestImage();
  const image = { type: 'image', mediaType: 'image/png', data } as const;
  const first = await startAgent({ info: { seesImages: true }, answers: [says('Seen.'), says('Still.')] });
  await first.run({ type: 'prompt', text: '[Image #1] what is it?', images: [image] });
  await first.ask('And now?');
  const file = first.context.filePath() ?? '';
  const { size } = await stat(file);
  expect(size).toBeGreaterThan(data.length);
  expect(size).toBeLessThan(data.length + 20_000);
  expect((await first.agent.measure()).usedTokens).toBeLessThan(3000);
  const sessionId = first.context.getCurrentSessionId() ?? '';
  await first.agent.close();

  const again = await startAgent({
    info: { seesImages: true },
    answers: [says('Of course.')],
    resume: { folder: first.folder, sessionId },
  });
  await again.ask('Is it there?');
  expect(again.model.requests[0]?.messages[1]).toEqual(first.model.requests[0]?.messages[1]);
});

test('redaction does not change the largest image', () => {
  const content = [{ type: 'image', mediaType: 'image/png', data: largestImage() }];
  expect(redactDeep(content)).toBe(content);
});
