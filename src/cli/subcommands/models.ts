/** `clawdcode models`: the models of all endpoints, with the known facts and their dates. */
import { alignColumns, dollars } from '../../commands/figures.ts';
import { EXIT } from '../../headless/exitCodes.ts';
import { catalogueSource } from '../../model/catalogue.ts';
import { environmentSend } from '../../model/http/environmentSend.ts';
import type { ModelInfo } from '../../protocol/models/model.ts';
import { effortLevels } from '../../protocol/models/wires.ts';
import { shortTokens } from '../../protocol/text/numbers.ts';
import { shownText } from '../../ui/print/sanitize.ts';
import { createEndpoints } from '../models/endpoints.ts';
import { listAllModels } from '../models/listAllModels.ts';
import { createModelChoice } from '../models/modelChoice.ts';
import { parseArguments } from '../options.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { jsonDocument, parseSubcommand, standardOutput } from '../sessionCommand/output.ts';
import { readSettings, trustIn } from '../startup.ts';
import { createModelsProgram } from './programs.ts';

/** `argv`: the arguments after `models`. Asks every endpoint. Returns the exit code. */
export async function modelsCommand(place: AppPaths, argv: readonly string[]): Promise<number> {
  const output = standardOutput(place);
  const program = createModelsProgram();
  const code = await parseSubcommand(program, argv, output);
  if (code !== undefined) return code;
  const given = await parseArguments([], place.version);
  if (given.type !== 'run') throw new Error('no arguments are always right');
  const loaded = await readSettings(place, given.options, await trustIn(place));
  for (const { message } of loaded.problems) output.hint(shownText(message));
  const { settings } = loaded;
  const endpoints = createEndpoints({ ...place, settings });
  const { ids, problem } = await listAllModels(endpoints, environmentSend(place.env));
  if (problem !== undefined) output.say(shownText(problem));
  const { infoOf } = createModelChoice('', settings, { endpoints });
  const models = ids.map(infoOf);
  if (program.opts<{ json?: boolean }>().json === true)
    await output.write(
      jsonDocument(models.map((info) => ({ ...info, catalogue: catalogueSource(info.id) }))),
    );
  else if (models.length > 0) {
    for (const [at, line] of alignColumns(models.map(rowOf), new Set([1])).entries()) {
      const tested = models[at]?.tested;
      await output.line(shownText(tested === undefined ? line : `${line}\n    ${tested}`));
    }
    for (const line of sourceLines(models)) output.hint(line);
  }
  return models.length === 0 ? EXIT.failed : EXIT.ok;
}

function rowOf({ id, windowTokens, source, price, efforts = [] }: ModelInfo): string[] {
  const levels = effortLevels(efforts);
  return [
    id,
    source === 'assumed' ? 'unknown' : shortTokens(windowTokens),
    price === undefined ? '' : `${dollars(price.input)} in, ${dollars(price.output)} out per million`,
    levels.length === 0 ? '' : `effort ${levels.join(', ')}`,
  ];
}

/** Where the catalogue's figures come from, once per provider. */
function sourceLines(models: readonly ModelInfo[]): string[] {
  const used = models.flatMap(({ id }) => catalogueSource(id) ?? []);
  const lines = used.map(({ provider, asOf, source }) => `${provider}: as of ${asOf}, ${source}`);
  return [...new Set(lines)];
}
