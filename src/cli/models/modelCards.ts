/**
 * The results of `clawdcode doctor --probe`, by endpoint and model: `model-cards.json` in the data folder.
 */
import { join } from 'node:path';
import * as z from 'zod';
import { type JsonFile, openJsonFile } from '../../disk/jsonFile.ts';
import type { ModelCard } from '../../protocol/models/server.ts';
import { shortTokens } from '../../protocol/text/numbers.ts';

const card = z.object({
  testedAt: z.string(),
  windowTokens: z.number(),
  firstTokenMs: z.number().exactOptional(),
  toolCalls: z.enum(['native', 'text', 'none']).exactOptional(),
  parallelCalls: z.boolean().exactOptional(),
  streamingUsage: z.boolean().exactOptional(),
  reasoningField: z.string().exactOptional(),
  jsonSchema: z.boolean().exactOptional(),
  images: z.boolean().exactOptional(),
  promptCache: z.enum(['yes', 'no', 'unreported']).exactOptional(),
  needles: z
    .array(
      z.object({
        percent: z.number(),
        tokens: z.number(),
        isFound: z.boolean(),
        problem: z.string().exactOptional(),
      }),
    )
    .exactOptional(),
});

/** Oldest first. */
const fileSchema = z.object({
  cards: z.array(z.object({ endpoint: z.string(), model: z.string(), card })),
});
type Cards = readonly { readonly endpoint: string; readonly model: string; readonly card: ModelCard }[];

/** Maximum number of cards; the oldest are dropped. */
const MOST = 200;

/** Reads all cards at once. Synchronous: the file is small, and usually missing. */
export function openCards(dataRoot: string): (baseUrl: string, model: string) => ModelCard | undefined {
  let cards: Cards | undefined;
  return (baseUrl, model) => {
    cards ??= cardFile(dataRoot).read().cards;
    const endpoint = originOf(baseUrl);
    return cards.findLast((one) => one.endpoint === endpoint && one.model === model)?.card;
  };
}

/** `model`: as the endpoint names it. */
export async function saveCard(
  dataRoot: string,
  baseUrl: string,
  model: string,
  found: ModelCard,
): Promise<void> {
  const endpoint = originOf(baseUrl);
  await cardFile(dataRoot).change(({ cards }) => {
    const others = cards.filter((one) => one.endpoint !== endpoint || one.model !== model);
    return { cards: [...others, { endpoint, model, card: found }].slice(-MOST) };
  });
}

/** A card in one line: what works, what does not, and since when that is known. */
export function cardLine(found: ModelCard): string {
  const { toolCalls, parallelCalls, jsonSchema, images, promptCache, needles } = found;
  const yes = (works: boolean | undefined, name: string): readonly string[] =>
    works === undefined ? [] : [works ? name : `no ${name}`];
  const largest = needles?.findLast(({ isFound }) => isFound);
  const failed = needles?.find(({ isFound }) => !isFound);
  return [
    ...(toolCalls === undefined ? [] : [toolCalls === 'none' ? 'no tool calls' : toolWords[toolCalls]]),
    ...yes(parallelCalls, 'parallel calls'),
    ...yes(jsonSchema, 'JSON schema'),
    ...yes(images, 'images'),
    ...(promptCache === 'unreported' ? [] : yes(promptCache && promptCache === 'yes', 'prompt cache')),
    ...(largest === undefined ? [] : [`reads ${shortTokens(largest.tokens)} (${largest.percent} %)`]),
    ...(failed === undefined ? [] : [`fails at ${shortTokens(failed.tokens)} (${failed.percent} %)`]),
    `tested ${found.testedAt.slice(0, 10)}`,
  ].join(' · ');
}

const toolWords = { native: 'tool calls', text: 'tool calls as text' } as const;

function originOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).origin : baseUrl;
}

function cardFile(dataRoot: string): JsonFile<{ readonly cards: Cards }> {
  return openJsonFile<{ readonly cards: Cards }>({
    file: join(dataRoot, 'model-cards.json'),
    parse: (value) => fileSchema.parse(value),
    empty: { cards: [] },
  });
}
