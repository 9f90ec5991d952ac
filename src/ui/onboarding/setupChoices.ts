/** The choices on the first screen, based on the servers found on this machine. Pure. */
import type { ServedModel } from '../../protocol/models/server.ts';
import { count, shortTokens } from '../../protocol/text/numbers.ts';
import type { Choice } from '../dialog/choices.ts';
import { sanitizeLine } from '../print/sanitize.ts';
import type { FoundServer } from './SetupPort.ts';

/** A model on a server on this machine. */
interface Offer {
  readonly server: FoundServer;
  readonly model: ServedModel;
}

/** The result of the first screen. */
export type SetupPick =
  | { readonly type: 'use'; readonly offer: Offer }
  | { readonly type: 'choose' }
  /** Opens the form with this endpoint; with `isSure`, tests it at once. */
  | { readonly type: 'endpoint'; readonly baseUrl: string; readonly isSure: boolean }
  | { readonly type: 'form' | 'demo' | 'again' | 'help' | 'reread' | 'quit' };

interface SetupChoice extends Choice {
  readonly answer: SetupPick;
}

/** Maximum models on the first screen; the others are in a list. */
const SHOWN = 3;

/** `found`: undefined during the search. `canReread`: the problem is in the settings file. */
export function setupChoices(
  found: readonly FoundServer[] | undefined,
  canReread = false,
): readonly SetupChoice[] {
  const offers = offersOf(found ?? []);
  const first = offers.slice(0, SHOWN).map(
    (offer): SetupChoice => ({
      label: `${sanitizeLine(offer.model.id)} · ${offer.server.name}`,
      detail: factsOf(offer.model),
      answer: { type: 'use', offer },
    }),
  );
  const others = (found ?? []).flatMap((server) => otherChoice(server) ?? []);
  const more = offers.length - first.length;
  return [
    ...(canReread ? [rereadChoice] : []),
    ...first,
    ...(more > 0
      ? [{ label: `Another model (${more} more)`, letter: 'm', answer: { type: 'choose' } } as const]
      : []),
    ...others,
    {
      label: 'Enter a key and an endpoint',
      detail: 'any OpenAI-compatible server; paste a key right here',
      letter: 'k',
      answer: { type: 'form' },
    },
    {
      label: 'Try the demo model',
      detail: 'built in: no network, no key, a few real tool calls',
      letter: 'd',
      answer: { type: 'demo' },
    },
    ...(offers.length > 0
      ? []
      : [{ label: 'How to start a local server', letter: 'l', answer: { type: 'help' } } as const]),
    { label: 'Search again for local servers', letter: 'r', answer: { type: 'again' } },
    { label: 'Quit', letter: 'q', answer: { type: 'quit' } },
  ];
}

const rereadChoice: SetupChoice = {
  label: 'Reload the settings',
  detail: 'after you have fixed them',
  letter: 's',
  answer: { type: 'reread' },
};

/** Every model of every server, best server first; models without tool calls come last. */
export function offersOf(found: readonly FoundServer[]): readonly Offer[] {
  const all = found.flatMap((server) =>
    server.state.type === 'models' ? server.state.models.map((model) => ({ server, model })) : [],
  );
  return all.toSorted((a, b) => Number(a.model.tools === false) - Number(b.model.tools === false));
}

/** The text above the choices. */
export function foundText(found: readonly FoundServer[] | undefined): string {
  if (found === undefined) return 'Looking for local servers (Ollama, LM Studio, llama.cpp, vLLM) …';
  const servers = found.filter(({ state }) => state.type === 'models');
  if (servers.length > 0) {
    const models = offersOf(found).length;
    return `Found on this machine: ${servers.map(({ name }) => name).join(', ')} with ${count(models, 'model')}.`;
  }
  const empty = found.flatMap(({ name, state }) =>
    state.type === 'empty' ? [`${name} is running without a model: ${state.advice}.`] : [],
  );
  if (empty.length > 0) return empty.join(' ');
  return 'No local model server found (Ollama, LM Studio, llama.cpp, vLLM). Paste a key, or choose:';
}

/** A model's facts: `65.5k tokens · calls tools · sees images · in memory`. */
export function factsOf(model: ServedModel): string {
  const { windowTokens, maxWindowTokens, tools, vision, loaded } = model;
  const window =
    windowTokens !== undefined
      ? `${shortTokens(windowTokens)} tokens`
      : maxWindowTokens !== undefined
        ? `up to ${shortTokens(maxWindowTokens)} tokens`
        : 'context window unknown';
  return [
    window,
    ...(tools === true ? ['calls tools'] : tools === false ? ['no tool calls'] : []),
    ...(vision === true ? ['sees images'] : []),
    ...(loaded === true ? ['in memory'] : []),
  ].join(' · ');
}

function otherChoice({ name, baseUrl, state }: FoundServer): SetupChoice | undefined {
  if (state.type === 'wants_key')
    return {
      label: `${name} needs a key: enter it`,
      detail: baseUrl,
      answer: { type: 'endpoint', baseUrl, isSure: false },
    };
  if (state.type === 'unasked')
    return {
      label: `Ask ${name} at ${new URL(baseUrl).host}`,
      detail: `named by ${state.source}; not on this machine, so nothing has been sent yet`,
      answer: { type: 'endpoint', baseUrl, isSure: true },
    };
  return undefined;
}
