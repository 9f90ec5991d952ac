/** `clawdcode doctor --probe`: tests a model with requests that cost money, after asking. */
import { dollars } from '../../commands/figures.ts';
import { EXIT, type ExitCode } from '../../headless/exitCodes.ts';
import { createModelClient } from '../../model/createModelClient.ts';
import { shownUrl } from '../../model/errors.ts';
import { environmentSend } from '../../model/http/environmentSend.ts';
import { examineModel, examTokens } from '../../model/servers/examineModel.ts';
import { probeModel } from '../../model/servers/probeModel.ts';
import { createServedModels } from '../../model/servers/servedModels.ts';
import type { ModelInfo } from '../../protocol/models/model.ts';
import type { ModelCard } from '../../protocol/models/server.ts';
import { grouped } from '../../protocol/text/numbers.ts';
import { shownText } from '../../ui/print/sanitize.ts';
import { createEndpoints, type Endpoint } from '../models/endpoints.ts';
import { cardLine, saveCard } from '../models/modelCards.ts';
import { createModelChoice, listerFor } from '../models/modelChoice.ts';
import { parseArguments } from '../options.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { askAtTerminal, jsonDocument, type Output } from '../sessionCommand/output.ts';
import { findModelAccess, readSettings, trustIn } from '../startup.ts';

export interface ProbeFlags {
  /** The model to test; absent = the one of the settings. */
  readonly model?: string;
  /** Skip the confirmation. */
  readonly yes?: boolean;
  /** Without the long prompts. */
  readonly quick?: boolean;
  readonly json?: boolean;
}

/** Milliseconds for all tests together. */
const LONGEST_MS = 45 * 60_000;

export async function probeCommand(place: AppPaths, output: Output, flags: ProbeFlags): Promise<ExitCode> {
  const found = await findModel(place, flags.model);
  if ('problem' in found) {
    output.say(found.problem);
    return EXIT.noAccess;
  }
  const { endpoint, id, info, key } = found;
  const { quick: isQuick = false } = flags;
  output.hint(planOf(info, endpoint, isQuick));
  if (flags.yes !== true) {
    const answer = await askAtTerminal('Send these requests?');
    if (answer === undefined) output.say('--probe costs something: without a terminal, it needs --yes.');
    if (answer !== true) return answer === undefined ? EXIT.badInput : EXIT.ok;
  }
  const { baseUrl, headers, wire } = endpoint;
  const signal = AbortSignal.timeout(LONGEST_MS);
  const connection = { baseUrl, apiKey: key, headers, send: environmentSend(place.env) };
  const onStep = (text: string): void => output.hint(`Testing: ${text} …`);
  onStep('answers and tool calls');
  const { answers, error, ...probed } = await probeModel({ ...connection, model: id, wire, signal });
  if (!answers) {
    output.say(shownText(error?.message ?? `${info.id} did not answer.`));
    return EXIT.failed;
  }
  const { extraBody: own } = endpoint.factsOf(id);
  const connect = (extra: object = {}) =>
    createModelClient(wire, { ...connection, factsOf: () => ({ extraBody: { ...own, ...extra } }) });
  const { windowTokens } = info;
  const exam = await examineModel({ connect, model: id, wire, windowTokens, isQuick, signal, onStep });
  const card: ModelCard = { testedAt: new Date().toISOString(), windowTokens, ...probed, ...exam };
  await saveCard(place.dataRoot, baseUrl, id, card);
  if (flags.json === true) await output.write(jsonDocument({ model: info.id, ...card }));
  else await output.line(shownText(`${info.id}: ${cardLine(card)}`));
  return EXIT.ok;
}

interface FoundModel {
  readonly endpoint: Endpoint;
  /** As the endpoint names it. */
  readonly id: string;
  readonly info: ModelInfo;
  readonly key: string | undefined;
}

async function findModel(
  place: AppPaths,
  given: string | undefined,
): Promise<FoundModel | { readonly problem: string }> {
  const parsed = await parseArguments([], place.version);
  if (parsed.type !== 'run') throw new Error('the empty command line is a run');
  const loaded = await readSettings(place, parsed.options, await trustIn(place));
  const settings = given === undefined ? loaded.settings : { ...loaded.settings, model: given };
  const access = await findModelAccess({ ...loaded, settings }, false, listerFor(place.env));
  if (access.type === 'missing') return { problem: access.message };
  const endpoints = createEndpoints({ ...place, settings });
  const { endpoint, id } = endpoints.find(access.model);
  const answer = await endpoint.key.get();
  if ('problem' in answer) return answer;
  const { baseUrl, headers } = endpoint;
  const send = environmentSend(place.env);
  // A local server may have loaded the model with a smaller window.
  const served = createServedModels({ baseUrl, apiKey: answer.key, headers, now: Date.now, send });
  await served.ask(id);
  const { infoOf } = createModelChoice('', settings, {
    endpoints,
    served: { ...served, get: () => served.get(id) },
  });
  return { endpoint, id, info: infoOf(access.model), key: answer.key };
}

/** What will be sent, and its maximum cost. */
function planOf({ id, price, windowTokens }: ModelInfo, { baseUrl }: Endpoint, isQuick: boolean): string {
  const { input, output } = examTokens(windowTokens, isQuick);
  const cost =
    price === undefined
      ? 'its price is unknown'
      : `at most ${dollars((input * (price.cacheWrite ?? price.input) + output * price.output) / 1e6)}`;
  const long = isQuick
    ? ''
    : ` They include prompts of up to 90 % of ${grouped(windowTokens)} tokens (--quick leaves them out).`;
  return `Test requests to ${id} (${shownUrl(baseUrl)}): about ${grouped(input)} tokens in, up to ${grouped(output)} out, ${cost}.${long}`;
}
