/** `clawdcode config …`: connects the subcommands with their dependencies. Loaded only when used. */
import { matching, saveSetting, settingsListPage } from '../../commands/config.ts';
import { plainText } from '../../commands/pages/page.ts';
import type { ConfigPort } from '../../commands/types.ts';
import { findSetting, readValue } from '../../config/change/changeSetting.ts';
import { displayValue } from '../../config/change/settingsList.ts';
import { EXIT, type ExitCode } from '../../headless/exitCodes.ts';
import type { EditScope, SettingInfo } from '../../protocol/settings/settings.ts';
import { shownText } from '../../ui/print/sanitize.ts';
import { createConfigPort } from '../configPort.ts';
import { parseArguments } from '../options.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { jsonDocument, type Output, parseSubcommand, standardOutput } from '../sessionCommand/output.ts';
import { readSettings, trustIn } from '../startup.ts';
import { createConfigProgram } from './programs.ts';

/** `argv`: the arguments after `config`. Returns the exit code. */
export async function configCommand(place: AppPaths, argv: readonly string[]): Promise<number> {
  const output = standardOutput(place);
  let code: ExitCode = EXIT.ok;
  const program = createConfigProgram(() => ({
    async list(words, { json = false }) {
      const settings = matching(await (await open(place, output)).list(), words.join(' '));
      if (json) await output.write(jsonDocument(settings.map(jsonOf)));
      else await output.line(shownText(plainText(settingsListPage(settings), output.width)));
    },
    async get(key, { json = false }) {
      const setting = findSetting(await (await open(place, output)).list(), key);
      if (typeof setting === 'string') code = refused(output, setting);
      else if (json) await output.write(jsonDocument(jsonOf(setting)));
      else await output.line(shownText(displayValue(setting, setting.value)));
    },
    async set(key, value, { scope }) {
      code = await change(await open(place, output), output, key, scope, value);
    },
    async unset(key, { scope }) {
      code = await change(await open(place, output), output, key, scope);
    },
  }));
  return (await parseSubcommand(program, argv, output)) ?? code;
}

/** Loads the settings like a start without flags; problems are written to standard error. */
async function open(place: AppPaths, output: Output): Promise<ConfigPort> {
  const given = await parseArguments([], place.version);
  if (given.type !== 'run') throw new Error('no arguments are always right');
  const loaded = await readSettings(place, given.options, await trustIn(place));
  for (const { message } of loaded.problems) output.hint(message);
  return createConfigPort(place, given.options, loaded);
}

/** Saves a value, or removes it if `text` is undefined. */
async function change(
  port: ConfigPort,
  output: Output,
  key: string,
  scope: EditScope,
  text?: string,
): Promise<ExitCode> {
  const setting = findSetting(await port.list(), key);
  if (typeof setting === 'string') return refused(output, setting);
  const read = text === undefined ? { value: undefined } : readValue(setting, text);
  if ('problem' in read) return refused(output, read.problem);
  // A session that starts after this applies it.
  const saved = await saveSetting(port, setting, { key, value: read.value, scope }, true);
  if (!saved.isSaved) {
    output.say(saved.text);
    return EXIT.badSettings;
  }
  await output.line(shownText(saved.text));
  return EXIT.ok;
}

function refused(output: Output, problem: string): ExitCode {
  output.say(problem);
  return EXIT.badInput;
}

/** Without secrets. */
function jsonOf(setting: SettingInfo): object {
  const { key, value, defaultValue, source = 'default' } = setting;
  const isHidden = setting.kind.type === 'secret' || ['headers', 'mcpServers', 'env'].includes(key);
  return { key, value: isHidden ? displayValue(setting, value) : value, default: defaultValue, source };
}

/** Files of a project are untrusted text. */
