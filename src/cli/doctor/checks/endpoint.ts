/** Checks the endpoint, its API key and the model. Never shows a key. */

import { windowSources } from '../../../commands/figures.ts';
import type { Finding } from '../../../commands/pages/doctorPage.ts';
import { lookupModel } from '../../../model/catalogue.ts';
import { endpointFacts } from '../../../model/endpoint.ts';
import { shownUrl } from '../../../model/errors.ts';
import { hasAuthorization } from '../../../model/http/customHeaders.ts';
import { proxyFor } from '../../../model/http/proxies.ts';
import { modelSettingsOf } from '../../../model/modelSettings.ts';
import { findServed } from '../../../model/servers/askServer.ts';
import { windowAdvice } from '../../../model/servers/windowAdvice.ts';
import type { ModelError, ModelInfo } from '../../../protocol/models/model.ts';
import { assumedWindow } from '../../../protocol/models/modelNames.ts';
import type { ModelProbe, ServedModel, ServerAnswer, ServerKind } from '../../../protocol/models/server.ts';
import { count, shortTokens } from '../../../protocol/text/numbers.ts';
import { openLearnedWindows } from '../../models/learnedWindows.ts';
import { cardLine, openCards } from '../../models/modelCards.ts';
import type { DoctorPorts } from '../ports.ts';

/** Sends a few short prompts if probing is enabled. */
export async function checkEndpoint(ports: DoctorPorts): Promise<readonly Finding[]> {
  const { network, now } = ports;
  if (network === null) return [keyFinding(ports, undefined)];
  const { access } = network;
  if (access.type === 'missing')
    return [
      {
        id: 'endpoint',
        label: 'Endpoint',
        state: 'missing',
        value: access.message,
        fix: access.problem?.message ?? 'Run clawdcode: it looks for local servers and asks for a key.',
      },
    ];
  const startedAt = now();
  const answer = await network.ask(access.apiKey);
  const ms = Math.round(now() - startedAt);
  const isReached =
    answer.type === 'server' || answer.error.kind === 'auth' || answer.error.status !== undefined;
  const first = endpointFinding(ports, answer, ms);
  if (!isReached) return [first, keyFinding(ports, answer)];
  const probed = await network.probe?.();
  const known = answer.type === 'server' ? findServed(answer.facts.models, access.model) : undefined;
  const served =
    answer.type === 'server' && known !== undefined ? { ...known, kind: answer.facts.kind } : undefined;
  return [
    first,
    keyFinding(ports, answer, probed?.error),
    modelFinding(access.model, answer),
    await windowFinding(ports, access.model, served),
    ...probeFindings(probed, served),
    ...cardFindings(ports, access.model),
  ];
}

function endpointFinding({ loaded, place }: DoctorPorts, answer: ServerAnswer, ms: number): Finding {
  const { baseUrl } = loaded.settings;
  const proxy = proxyFor(place.env, baseUrl);
  const through = proxy === undefined ? '' : ` · through the proxy ${shownUrl(proxy)}`;
  const found = { id: 'endpoint', label: 'Endpoint' };
  if (answer.type === 'server') {
    const { kind, version, models } = answer.facts;
    const who = kind === 'other' ? '' : ` · ${kind}${version === undefined ? '' : ` ${version}`}`;
    const value = `${shownUrl(baseUrl)} answers in ${ms} ms${who} · ${count(models.length, 'model')}${through}`;
    return { ...found, state: 'ok', value };
  }
  const { error } = answer;
  if (error.kind === 'auth')
    return { ...found, state: 'ok', value: `${shownUrl(baseUrl)} answers in ${ms} ms${through}` };
  const hasNoList = error.kind === 'bad_url' && error.status !== undefined;
  return {
    ...found,
    state: hasNoList ? 'warning' : 'missing',
    value: `${error.message}${through}`,
    ...(hasNoList
      ? { fix: 'If prompts work, you can ignore this: some servers have no model list.' }
      : { fix: `It comes from ${loaded.sources.baseUrl ?? 'the defaults'}.` }),
  };
}

/** `refusal`: the error of a failed prompt. Some servers list their models no matter what the key is. */
function keyFinding(
  { loaded }: DoctorPorts,
  answer: ServerAnswer | undefined,
  refusal?: ModelError,
): Finding {
  const found = { id: 'key', label: 'Key' };
  const source = keySource(loaded);
  const errors = [answer?.type === 'failed' ? answer.error : undefined, refusal];
  const refused = errors.find((error) => error?.kind === 'auth');
  if (refused !== undefined)
    return {
      ...found,
      state: 'missing',
      value: source === undefined ? 'none is set' : `from ${source}: rejected`,
      fix: refused.message,
    };
  if (answer === undefined)
    return {
      ...found,
      state: 'ok',
      value: source === undefined ? 'none is set' : `from ${source}, not tried`,
    };
  if (source === undefined) return { ...found, state: 'ok', value: 'none is set, and none is required' };
  return {
    ...found,
    state: 'ok',
    value: `from ${source}${answer.type === 'server' ? ', accepted' : ''}`,
  };
}

/** Returns the source of the credentials; undefined if there are none. */
function keySource({ settings, sources }: DoctorPorts['loaded']): string | undefined {
  const key = settings.apiKey === null ? undefined : (sources.apiKey ?? 'the settings');
  if (!hasAuthorization(settings.headers)) return key;
  return `Authorization in "headers"${key === undefined ? '' : `, instead of the key from ${key}`}`;
}

function modelFinding(model: string, answer: ServerAnswer): Finding {
  const found = { id: 'model', label: 'Model' };
  if (answer.type === 'failed') return { ...found, state: 'ok', value: `${model} · the endpoint lists none` };
  const { models } = answer.facts;
  if (findServed(models, model) !== undefined) return { ...found, state: 'ok', value: `${model} · listed` };
  const names = models.slice(0, 5).map(({ id }) => id);
  return {
    ...found,
    state: models.length === 0 ? 'ok' : 'warning',
    value: `${model} · not in the endpoint's list`,
    ...(models.length === 0
      ? {}
      : {
          fix: `It has ${names.join(', ')}${models.length > 5 ? ', …' : ''}: --model, OPENAI_MODEL or /model.`,
        }),
  };
}

function probeFindings(found: ModelProbe | undefined, served: ServedModel | undefined): readonly Finding[] {
  if (found === undefined) {
    if (served?.tools === undefined) return [];
    return [toolsFinding(served.tools ? 'native' : 'none', undefined)];
  }
  if (!found.answers)
    return [
      {
        id: 'answer',
        label: 'Answers',
        state: 'missing',
        value: 'no answer to a short prompt',
        fix:
          found.error?.kind === 'auth'
            ? 'Fix the key first.'
            : (found.error?.message ?? "Check the server's log."),
      },
    ];
  return [
    {
      id: 'answer',
      label: 'Answers',
      state: 'ok',
      value:
        found.firstTokenMs === undefined
          ? 'yes'
          : `first token after ${(found.firstTokenMs / 1000).toFixed(1)} s`,
    },
    found.toolCalls === undefined
      ? unknownTools(found.error)
      : toolsFinding(found.toolCalls, served?.tools, found.parallelCalls),
    usageFinding(found),
  ];
}

/** The results of `--probe`, if the user has run it. */
function cardFindings({ place, loaded }: DoctorPorts, model: string): readonly Finding[] {
  const card = openCards(place.dataRoot)(loaded.settings.baseUrl, model);
  return card === undefined ? [] : [{ id: 'card', label: 'Tested', state: 'ok', value: cardLine(card) }];
}

function unknownTools(error: ModelError | undefined): Finding {
  const found = { id: 'tools', label: 'Tool calls', state: 'warning' as const };
  if (error === undefined) return { ...found, value: 'unknown: it did not answer in time' };
  return { ...found, value: 'unknown: the test prompt failed', fix: error.message };
}

/** `claimed`: whether the server says that the model supports tools, which is not always true. */
function toolsFinding(
  calls: NonNullable<ModelProbe['toolCalls']>,
  claimed: boolean | undefined,
  parallel?: boolean,
): Finding {
  const found = { id: 'tools', label: 'Tool calls' };
  const several = parallel === undefined ? '' : parallel ? ' · several in one reply' : ' · one in a reply';
  if (calls === 'native') return { ...found, state: 'ok', value: `yes${several}` };
  if (calls === 'text')
    return { ...found, state: 'ok', value: `written as text, which is understood${several}` };
  return {
    ...found,
    state: 'warning',
    value:
      claimed === true
        ? 'the server says that the model supports tool calls, but it made none when asked to'
        : 'none: it can chat, but not read or change files',
    fix: 'Choose a model that calls tools (/model); llama.cpp needs --jinja, vLLM --enable-auto-tool-choice.',
  };
}

function usageFinding({ streamingUsage, reasoningField }: ModelProbe): Finding {
  const usage =
    streamingUsage === undefined
      ? 'token counts unknown'
      : streamingUsage
        ? 'token counts reported'
        : 'no token counts (they are estimated)';
  const reasoning = reasoningField === undefined ? 'no reasoning seen' : `reasoning in "${reasoningField}"`;
  return { id: 'stream', label: 'Stream', state: 'ok', value: `${usage} · ${reasoning}` };
}

// Checks the context window that a session would use, and where its size comes from.

/** `served`: the server's facts about the model, with the kind of server; undefined if it reports none. */
async function windowFinding(
  { loaded, place }: Pick<DoctorPorts, 'loaded' | 'place'>,
  id: string,
  served: (ServedModel & { readonly kind: ServerKind }) | undefined,
): Promise<Finding> {
  const { settings } = loaded;
  const { baseUrl } = settings;
  const learned = await openLearnedWindows({ dataRoot: place.dataRoot, baseUrl });
  const model = lookupModel(id, {
    unknownWindow: assumedWindow(settings.context.unknownWindow, endpointFacts(baseUrl).provider),
    learnedWindow: learned.get(id),
    settings: modelSettingsOf(settings.models, id),
    served,
    ...(settings.contextWindow === null ? {} : { windowTokens: settings.contextWindow }),
  });
  const most = served?.maxWindowTokens ?? 0;
  const more = most > model.windowTokens ? ` of at most ${shortTokens(most)}` : '';
  const found = {
    id: 'window',
    label: 'Window',
    value: `${shortTokens(model.windowTokens)}${more} tokens ${windowSources[model.source]}`,
  };
  const fix = (served && windowAdvice(served, model)) ?? ownAdvice(model);
  return fix === undefined ? { ...found, state: 'ok' } : { ...found, state: 'warning', fix };
}

function ownAdvice({ windowTokens, source }: ModelInfo): string | undefined {
  if (source === 'assumed')
    return 'Set it if you know it: clawdcode config set contextWindow TOKENS, or --context-window.';
  return windowTokens < SMALL ? 'That is very small: choose a model with a larger window.' : undefined;
}

/** Tokens below which a context window is reported as small. */
const SMALL = 16_000;
