/** Test results for a model, stored by endpoint and model. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createEndpoints } from '../../../src/cli/models/endpoints.ts';
import { cardLine, openCards, saveCard } from '../../../src/cli/models/modelCards.ts';
import { createModelChoice } from '../../../src/cli/models/modelChoice.ts';
import { settingsSchema } from '../../../src/config/schema.ts';
import type { ModelCard } from '../../../src/protocol/models/server.ts';

const baseUrl = 'http://127.0.0.1:8080/v1';
const card: ModelCard = {
  testedAt: '2026-11-24T05:00:00.000Z',
  windowTokens: 40_000,
  toolCalls: 'native',
  parallelCalls: false,
  jsonSchema: true,
  images: true,
  promptCache: 'no',
  needles: [
    { percent: 25, tokens: 10_000, isFound: true },
    { percent: 50, tokens: 20_000, isFound: false, problem: 'too long' },
  ],
};

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'clawdcode-cards-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test('a card in one line', () => {
  expect(cardLine(card)).toBe(
    'tool calls · no parallel calls · JSON schema · images · no prompt cache · reads 10k (25 %) · fails at 20k (50 %) · tested 2026-11-24',
  );
  expect(cardLine({ testedAt: '2026-11-24', windowTokens: 1, promptCache: 'unreported' })).toBe(
    'tested 2026-11-24',
  );
});

test('the newest card of an endpoint and model is kept', async () => {
  const folder = await newFolder();
  await saveCard(folder, baseUrl, 'm', { ...card, images: false });
  await saveCard(folder, baseUrl, 'm', card);
  await saveCard(folder, baseUrl, 'n', { ...card, images: false });
  expect(openCards(folder)(baseUrl, 'm')).toEqual(card);
  expect(openCards(folder)('http://127.0.0.1:9090/v1', 'm')).toBeUndefined();
  await writeFile(join(folder, 'model-cards.json'), '{"cards": 3}');
  expect(openCards(folder)(baseUrl, 'm')).toBeUndefined();
});

test('it fills gaps and overrides nothing', async () => {
  const folder = await newFolder();
  await saveCard(folder, baseUrl, 'm', card);
  await saveCard(folder, baseUrl, 'blind', card);
  const settings = settingsSchema.parse({ baseUrl, models: { blind: { vision: false } } });
  const { infoOf } = createModelChoice('', settings, {
    endpoints: createEndpoints({ settings, dataRoot: folder }),
  });
  expect(infoOf('m')).toMatchObject({ seesImages: true, tested: cardLine(card) });
  expect(infoOf('blind').seesImages).toBe(false);
  expect(infoOf('untested').seesImages).toBeUndefined();
});
