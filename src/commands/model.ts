import { nearest } from '../config/nearest.ts';
import type { ModelInfo } from '../protocol/models/model.ts';
import { type Effort, effortLevels, efforts } from '../protocol/models/wires.ts';
import { grouped } from '../protocol/text/numbers.ts';
import { readingCost } from './cost/forecast.ts';
import { dollars } from './figures.ts';
import type { Command, CommandHost, EffortChoice } from './types.ts';

/** Switches the model, or opens the model list. */
export const model: Command = {
  name: 'model',
  aliases: [],
  description: 'switch the model',
  argumentHint: '[id] [--default]',
  needsUser: (args) =>
    args.split(/\s+/).includes(DEFAULT) ? 'Use clawdcode config set model ID.' : undefined,
  async run(args, host) {
    const words = args.split(/\s+/).filter((word) => word !== '');
    const isDefault = words.includes(DEFAULT);
    const [id, ...more] = words.filter((word) => word !== DEFAULT);
    if (more.length > 0) {
      return { type: 'notice', level: 'error', text: `"${args}" is not a model id: ids have no spaces.` };
    }
    if (id === undefined && !isDefault) return { type: 'dialog', dialog: 'model' };
    const { model: current, chosenModel } = host.agent.state();
    // Never the fallback that replaces it.
    const saved = isDefault ? await saveDefault(id ?? chosenModel, host) : undefined;
    if (id === undefined) return { type: 'notice', text: saved ?? '' };
    const forecast = id === current.id ? undefined : switchForecast(host, id);
    const remark = async (): Promise<string | undefined> => {
      const remarks = [forecast, saved, remarkOn(id, (await host.listModels()).ids)];
      return remarks.filter((one) => one !== undefined).join('\n') || undefined;
    };
    return { type: 'op', op: { type: 'set_model', model: id }, remark };
  },
};

const DEFAULT = '--default';

async function saveDefault(model: string, { config }: CommandHost): Promise<string> {
  const saved = await config.save({ key: 'model', value: model, scope: 'user' });
  return saved.type === 'refused' ? saved.message : `New sessions use ${model} from now on.`;
}

/**
 * The cost of the next request after a switch: the other model has none of the conversation in its cache. Undefined for
 * an empty conversation.
 */
function switchForecast({ agent, modelInfo }: SwitchHost, model: string): string | undefined {
  const { measure } = agent.state();
  const isEmpty = agent.entries().every(({ type }) => type === 'system');
  if (isEmpty || measure === undefined) return undefined;
  const { price } = modelInfo(model);
  return `${model} reads the whole conversation again, ${readingCost(measure.usedTokens, price)}.`;
}

type SwitchHost = Pick<CommandHost, 'modelInfo'> & {
  readonly agent: Pick<CommandHost['agent'], 'state' | 'entries'>;
};

/** Details of each model for the picker; none for models about which nothing is known. */
export function modelDetails(
  host: SwitchHost,
  models: readonly string[],
): Readonly<Record<string, readonly string[]>> {
  const current = host.agent.state().model.id;
  return Object.fromEntries(
    models.flatMap((model) => {
      const forecast = model === current ? undefined : switchForecast(host, model);
      const info = host.modelInfo(model);
      const lines = [modelFacts(info), info.tested ?? '', forecast ?? ''].filter((line) => line !== '');
      return lines.length === 0 ? [] : [[model, lines] as const];
    }),
  );
}

/** The efforts that the picker offers with each model. */
export function modelEfforts(
  { modelInfo }: Pick<CommandHost, 'modelInfo'>,
  models: readonly string[],
): Readonly<Record<string, EffortChoice>> {
  return Object.fromEntries(
    models.flatMap((model) => {
      const { effort, efforts } = modelInfo(model);
      const levels = effortLevels(efforts);
      return levels.length === 0 ? [] : [[model, { now: effort, levels }] as const];
    }),
  );
}

/** A model in a few words: window and prices per million tokens. */
function modelFacts({ windowTokens, source, price, efforts }: ModelInfo): string {
  const window = source === 'assumed' ? [] : [`${grouped(windowTokens)} tokens`];
  const prices =
    price === undefined ? [] : [`${dollars(price.input)} in, ${dollars(price.output)} out per million`];
  const levels = effortLevels(efforts ?? []);
  const effort = levels.length === 0 ? [] : [`effort ${levels.join(', ')}`];
  return [...window, ...prices, ...effort].join(' · ');
}

/** Warns if the server does not list the model id. Only a warning, since lists omit aliases and variants. */
function remarkOn(model: string, ids: readonly string[]): string | undefined {
  // Ollama lists a model without a tag under this name.
  const isListed = ids.some((id) => id === model || id === `${model}:latest`);
  if (ids.length === 0 || isListed) return undefined;
  return `The server does not list ${JSON.stringify(model)}.${modelAdvice(model, ids)} The next prompt will try it anyway.`;
}

/**
 * Suggests ids for a model that was not found: ` Did you mean "qwen3:8b"?`, or the first ids of the list. If the list
 * has this very id, says so instead. Empty if no ids are known.
 */
export function modelAdvice(typed: string, ids: readonly string[]): string {
  const [first] = ids;
  if (first === undefined) return '';
  if (ids.includes(typed))
    return ' The server lists it, so your account or region may not have access to it.';
  const bare = (id: string): string => id.toLowerCase().replace(/^.*\//, '');
  const wanted = bare(typed);
  const meant =
    ids.find((id) => bare(id) === wanted) ??
    nearest(typed, ids) ??
    ids.find((id) => bare(id).startsWith(wanted) || bare(id).includes(wanted));
  if (meant !== undefined) return ` Did you mean ${JSON.stringify(meant)}?`;
  const more = ids.length > MAX_LISTED ? ` and ${ids.length - MAX_LISTED} more` : '';
  return ` It has ${ids.slice(0, MAX_LISTED).join(', ')}${more}.`;
}

/** Ids listed if none is similar. */
const MAX_LISTED = 5;

/** Sets how much the model reasons, for this session. */
export const effort: Command = {
  name: 'effort',
  aliases: [],
  description: 'set how much the model reasons',
  argumentHint: '[level]',
  run(args, host) {
    const { model } = host.agent.state();
    if (args === '') return { type: 'notice', text: effortNow(model) };
    const level = efforts.find((one): one is Effort => one === args.toLowerCase());
    if (level === undefined && args !== 'default')
      return {
        type: 'notice',
        level: 'error',
        text: `"${args}" is not an effort level. ${effortChoice(model)}`,
      };
    return { type: 'op', op: { type: 'set_effort', ...(level && { effort: level }) } };
  },
};

/** The current effort, and the available levels. */
function effortNow(model: ModelInfo): string {
  const { effort: now, thinkingBudget: budget } = model;
  const thinking =
    typeof budget !== 'number'
      ? ''
      : ` Thinking: ${budget === 0 ? 'off' : `at most ${grouped(budget)} tokens`}.`;
  return `Effort: ${now ?? `the default of ${model.id}`}.${thinking} ${effortChoice(model)}`;
}

/** The levels that `/effort` accepts for a model. */
function effortChoice({ id, efforts: accepted }: ModelInfo): string {
  const levels = effortLevels(accepted);
  return levels.length === 0 ? `${id} has no levels.` : `Levels: ${levels.join(', ')}, or default.`;
}
