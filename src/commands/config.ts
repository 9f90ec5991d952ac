/** `/config`: lists every setting, and changes one. The subcommand `clawdcode config` prints the same pages. */
import { findSetting, readValue } from '../config/change/changeSetting.ts';
import type { SaveOutcome } from '../config/change/editSettings.ts';
import {
  appliesAtOnce,
  awaitsTrust,
  displayValue,
  isLocked,
  overrideOf,
} from '../config/change/settingsList.ts';
import type { EditScope, SettingEdit, SettingInfo } from '../protocol/settings/settings.ts';
import { blankLine, hanging, heading, type Page, type PageLine, pageLine } from './pages/page.ts';
import type { Command, CommandResult, ConfigPort } from './types.ts';

export const config: Command = {
  name: 'config',
  aliases: ['settings'],
  description: 'show and change settings',
  argumentHint: '[name [value]]',
  needsUser: (args) => (/\s/.test(args) ? 'Use clawdcode config set NAME VALUE.' : undefined),
  async run(args, host) {
    const [, key = '', text = ''] = /^(\S*)\s*([\s\S]*)$/.exec(args) ?? [];
    const settings = await host.config.list();
    if (key === '') return { type: 'dialog', dialog: 'config', settings, page: settingsListPage(settings) };
    const setting = findSetting(settings, key);
    if (typeof setting === 'string') {
      const found = matching(settings, key);
      return found.length > 0
        ? { type: 'page', page: settingsListPage(found) }
        : { type: 'notice', level: 'error', text: setting };
    }
    return text === '' ? { type: 'page', page: settingPage(setting) } : setTo(setting, text, host.config);
  },
};

async function setTo(setting: SettingInfo, text: string, port: ConfigPort): Promise<CommandResult> {
  const read = readValue(setting, text);
  if ('problem' in read) return { type: 'notice', level: 'error', text: read.problem };
  const edit = { key: setting.key, value: read.value, scope: 'user' } as const;
  const { text: said, isSaved } = await saveSetting(port, setting, edit, appliesAtOnce(setting.key));
  return isSaved && appliesAtOnce(setting.key)
    ? { type: 'setting_changed', edit, text: said }
    : { type: 'notice', level: isSaved ? 'info' : 'error', text: said };
}

/** Saves a change and reports the outcome. `appliesNow`: this process applies it at once. */
export async function saveSetting(
  port: ConfigPort,
  setting: SettingInfo,
  edit: SettingEdit,
  appliesNow: boolean,
): Promise<{ readonly isSaved: boolean; readonly text: string }> {
  const saved = await port.save(edit);
  if (saved.type === 'refused') return { isSaved: false, text: saved.message };
  const now = (await port.list()).find(({ key }) => key === setting.key) ?? setting;
  return { isSaved: true, text: savedText(saved, now, edit, appliesNow) };
}

/** `setting`: as it is after the change. */
function savedText(
  { file }: Extract<SaveOutcome, { type: 'saved' }>,
  setting: SettingInfo,
  { key, value, scope }: SettingEdit,
  appliesNow: boolean,
): string {
  const done =
    value === undefined
      ? `Removed ${key} from ${file}. It is now ${displayValue(setting, setting.value)} (${setting.source ?? 'default'}).`
      : `Saved to ${file}: ${key} = ${displayValue(setting, value)}.`;
  const override = value === undefined ? undefined : overrideOf(setting, scope);
  if (override !== undefined) return `${done} It has no effect now: ${override}`;
  if (value !== undefined && awaitsTrust(setting, scope))
    return `${done} It applies once you trust this folder: run clawdcode here to decide.`;
  return appliesNow || !setting.isPending ? done : `${done} It applies to the next session that you start.`;
}

/** A setting as a dialog needs it; nothing here is a secret. */
interface SettingView {
  readonly name: string;
  readonly value: string;
  readonly source: string;
  readonly lines: readonly string[];
  /** Why it cannot be changed here; undefined if it can. */
  readonly lock: string | undefined;
}

/** Prepares a setting for a dialog. */
export function viewOf(setting: SettingInfo): SettingView {
  const { key, kind, source = 'default', value } = setting;
  const lock = isLocked(setting)
    ? overrideOf(setting, 'user')
    : kind.type === 'json'
      ? `Lists and objects are changed in a file, or with: clawdcode config set ${key} JSON`
      : kind.type === 'secret'
        ? 'A key is not shown or typed here. Put it into ~/.clawdcode/config.json or OPENAI_API_KEY.'
        : undefined;
  return { name: key, value: displayValue(setting, value), source, lines: settingLines(setting), lock };
}

export { appliesAtOnce };

/** Reads a value that was typed for a setting; see `readValue`. */
export const typedValue = readValue;

/** Why a value saved there would have no effect; undefined if it would. */
export function overrideNote(setting: SettingInfo, scope: EditScope): string | undefined {
  return overrideOf(setting, scope);
}

/** Settings whose name or description contains all words. */
export function matching(settings: readonly SettingInfo[], words: string): readonly SettingInfo[] {
  const wanted = words.toLowerCase().split(/\s+/);
  return settings.filter(({ key, description }) => {
    const text = `${key} ${description}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

/** Every setting with its value and source, in groups. */
export function settingsListPage(settings: readonly SettingInfo[]): Page {
  const width = Math.max(0, ...settings.map(({ key }) => key.length));
  return (columns) => {
    const isNarrow = columns < 70;
    return settings.flatMap((setting, index) => {
      const { key, group, source } = setting;
      const starts = index === 0 || settings[index - 1]?.group !== group;
      const head = !starts
        ? []
        : [...(index === 0 ? [] : [blankLine]), heading(group === '' ? 'General' : group)];
      const value = displayValue(setting, setting.value);
      const from = source === undefined ? '' : `  (${source})`;
      const line = isNarrow
        ? hanging(pageLine(`  ${key}: ${value}`, { text: from, role: 'dim' }), 4)
        : hanging(pageLine(`  ${key.padEnd(width)}  ${value}`, { text: from, role: 'dim' }), width + 4);
      return [...head, line];
    });
  };
}

/** One setting in full. */
function settingPage(setting: SettingInfo): Page {
  return () => settingLines(setting).map((line, index) => (index === 0 ? heading(line) : indented(line)));
}

/** The same as lines: name, value, default, source, description, and what overrides the user's file. */
function settingLines(setting: SettingInfo): readonly string[] {
  const { key, value, defaultValue, source, description, kind, isPending } = setting;
  const override = overrideOf(setting, 'user');
  return [
    `${key} = ${displayValue(setting, value)}`,
    description,
    ...(kind.type === 'choice' ? [`One of ${kind.values.join(', ')}.`] : []),
    `From ${source ?? 'the defaults'}; the default is ${displayValue(setting, defaultValue)}.`,
    ...(override === undefined ? [] : [override]),
    ...(isPending
      ? ['This session still uses another value; it applies to the next one that you start.']
      : []),
  ];
}

function indented(line: string): PageLine {
  return hanging(pageLine(`  ${line}`), 2);
}
