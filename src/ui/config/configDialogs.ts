/**
 * The dialogs of `/config`: the list of settings, a value to choose or type, and the file to save it in; and the
 * next step after each answer. Pure.
 */

import { overrideNote, typedValue, viewOf } from '../../commands/config.ts';
import type { EditScope, SettingEdit, SettingInfo } from '../../protocol/settings/settings.ts';
import { shortened } from '../../protocol/text/visible.ts';
import type { Block, ChoiceDialog } from '../dialog/choices.ts';
import type { ListDialog, TextDialog, WaitDialog } from '../dialog/dialog.ts';

export type ConfigStep =
  /** `last`: the setting that was open before. */
  | { readonly type: 'list'; readonly last?: string | undefined }
  | { readonly type: 'value'; readonly key: string }
  /** `value` undefined = remove it from the file. */
  | { readonly type: 'scope'; readonly key: string; readonly value: unknown }
  | { readonly type: 'saving'; readonly edit: SettingEdit };

export type ConfigAnswer = { readonly type: 'close' } | ConfigStep;

type ConfigDialog =
  | ListDialog<ConfigAnswer>
  | ChoiceDialog<ConfigAnswer>
  | TextDialog<ConfigAnswer>
  | WaitDialog<ConfigAnswer>;

const CLOSE: ConfigAnswer = { type: 'close' };

/** The dialog of a step. */
export function configDialog(step: ConfigStep, settings: readonly SettingInfo[]): ConfigDialog {
  if (step.type === 'list') return listDialog(settings, step.last);
  if (step.type === 'saving')
    return {
      ...{ type: 'wait', id: 'config saving', title: 'Settings' },
      ...{ text: 'Saving …', plainText: 'Saving.', cancel: CLOSE },
    };
  const setting = settings.find(({ key }) => key === step.key);
  if (setting === undefined) return listDialog(settings, undefined);
  return step.type === 'value' ? valueDialog(setting) : scopeDialog(setting, step.value);
}

function listDialog(settings: readonly SettingInfo[], last: string | undefined): ListDialog<ConfigAnswer> {
  const width = Math.max(0, ...settings.map(({ key }) => key.length));
  return {
    type: 'list',
    id: 'config',
    title: 'Settings',
    items: settings.map((setting) => {
      const { name, value, source, lines, lock } = viewOf(setting);
      const [, ...detail] = lines;
      return {
        label: `${name.padEnd(width)}  ${shorten(value)} · ${source}`,
        name,
        detail: lock === undefined ? detail : [...detail, lock],
        answer: { type: 'value', key: name },
      };
    }),
    start: Math.max(
      0,
      settings.findIndex(({ key }) => key === last),
    ),
    noun: 'setting',
    introduction: (shown) =>
      `${settings.length} settings${shown < settings.length ? `, the first ${shown}; /config WORD lists others` : ''}:`,
    canSkip: true,
    cancel: CLOSE,
  };
}

const LONGEST_VALUE = 30;

function shorten(value: string): string {
  return shortened(value, LONGEST_VALUE);
}

function valueDialog(setting: SettingInfo): ChoiceDialog<ConfigAnswer> | TextDialog<ConfigAnswer> {
  const { key, kind, value, source } = setting;
  const back: ConfigAnswer = { type: 'list', last: key };
  const { lines, lock } = viewOf(setting);
  const [title = key, ...more] = lines;
  const body: readonly Block[] = more.map((text) => ({ type: 'text', text, tone: 'dim' }));
  const base = { id: `config ${key}`, title, cancel: back } as const;
  if (lock !== undefined)
    return {
      ...{ ...base, type: 'choices', body: [...body, { type: 'text', text: lock }] },
      ...{ choices: [{ label: 'Back', answer: back }], hint: { escape: 'Esc goes back' } },
    };
  const to = (chosen: unknown): ConfigAnswer => ({ type: 'scope', key, value: chosen });
  if (kind.type === 'text' || kind.type === 'number')
    return {
      ...{ ...base, type: 'text', body: [...body, ...removalNote(setting)], label: `${key}: ` },
      initial: value === undefined || value === null ? '' : String(value),
      read(text) {
        if (text.trim() === '-' && source !== undefined) return { answer: to(undefined) };
        const read = typedValue(setting, text);
        return 'problem' in read ? read : { answer: to(read.value) };
      },
    };
  const values: readonly unknown[] = kind.type === 'choice' ? kind.values : [true, false];
  const current = values.findIndex((one) => one === value);
  // The current value comes first, so that Enter changes nothing.
  const ordered = current === -1 ? values : [value, ...values.filter((one) => one !== value)];
  return {
    ...{ ...base, type: 'choices', body, hint: { escape: 'Esc goes back' } },
    choices: [
      ...ordered.map((one) => ({
        label: one === value ? `${String(one)} · now` : String(one),
        answer: one === value ? back : to(one),
      })),
      ...(source === undefined ? [] : [{ label: 'Remove it from one of your files', answer: to(undefined) }]),
    ],
  };
}

function removalNote({ source, isNullable }: SettingInfo): readonly Block[] {
  const text = [
    isNullable ? 'null stands for no value.' : '',
    source === undefined ? '' : '- removes it from one of your files.',
  ]
    .filter((part) => part !== '')
    .join(' ');
  return text === '' ? [] : [{ type: 'text', text, tone: 'dim' }];
}

function scopeDialog(setting: SettingInfo, value: unknown): ChoiceDialog<ConfigAnswer> {
  const { key } = setting;
  const choice = (scope: EditScope, label: string) => {
    const note = value === undefined ? undefined : overrideNote(setting, scope);
    return {
      label,
      ...(note === undefined ? {} : { detail: `No effect now: ${note}` }),
      answer: { type: 'saving', edit: { key, value, scope } } as const,
    };
  };
  const does = value === undefined ? 'Remove it from' : 'Save it in';
  return {
    ...{ type: 'choices', id: `config ${key} where`, title: `${does} which file?` },
    body: [
      {
        type: 'text',
        text: `${key}${value === undefined ? '' : ` = ${JSON.stringify(value)}`}`,
        tone: 'dim',
      },
    ],
    choices: [
      choice('user', 'Yours, for every project: config.json'),
      choice('local', 'Yours, for this project: .clawdcode.local.json'),
    ],
    hint: { escape: 'Esc goes back' },
    cancel: { type: 'value', key },
    quit: CLOSE,
  };
}
